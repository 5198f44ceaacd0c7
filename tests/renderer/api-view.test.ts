import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  type BuiltRequest,
  buildRequest,
  initialValues,
} from '../../src/renderer/src/features/api-view/build-request.ts';
import { apiAddress, curlText } from '../../src/renderer/src/features/api-view/curl.ts';
import { formatBody, formatBytes } from '../../src/renderer/src/features/api-view/format-response.ts';
import { type ApiRoute, createResolve, routesOf } from '../../src/renderer/src/features/api-view/openapi.ts';
import { sampleOf, schemaRows } from '../../src/renderer/src/features/api-view/schema-rows.ts';
import { createOpenApiDocument } from '../../src/server/http/openapi.ts';
import { endpoints } from '../../src/shared/api/index.ts';

it('names an address that programs can resolve', () => {
  const at = (hostname: string, port: string) => apiAddress({ protocol: 'http:', hostname, port });
  expect(at('dot-mi.localhost', '8000')).toBe('http://127.0.0.1:8000/api');
  expect(at('0123456789abcdef.dot-mi.localhost', '8000')).toBe('http://127.0.0.1:8000/api');
  expect(at('127.0.0.1', '8000')).toBe('http://127.0.0.1:8000/api');
  expect(apiAddress({ protocol: 'https:', hostname: 'agents.example', port: '' })).toBe(
    'https://agents.example/api',
  );
});

const document = {
  security: [{ api: [] }],
  paths: {
    '/api/agents/{id}/file': {
      parameters: [{ $ref: '#/components/parameters/Agent' }],
      put: {
        operationId: 'files.write',
        tags: ['files'],
        summary: 'Write a file',
        security: [{ api: [] }, { ownAgentKey: ['write-agent'] }],
        parameters: [
          { in: 'header', name: 'if-match', schema: { type: 'string' } },
          { in: 'query', name: 'kind', schema: { $ref: '#/components/schemas/a~1b' } },
          { in: 'cookie', name: 'ignored' },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/Tree' },
              examples: { one: { summary: 'One', value: { name: "it's" } }, two: { value: 2 } },
            },
          },
        },
        responses: { 200: { $ref: '#/components/responses/Done' }, 404: { description: 'Gone' } },
      },
      get: { responses: {} },
    },
    '/api/secret': { get: { operationId: 'secret', security: [{ operator: [] }] } },
    '/api/open': { get: { operationId: 'open', security: [] } },
  },
  components: {
    parameters: { Agent: { in: 'path', name: 'id', required: true, example: 'scout' } },
    schemas: {
      'a/b': { enum: ['x', 'y'] },
      Tree: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'Its name.' },
          children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
          size: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        },
      },
      Circle: { $ref: '#/components/schemas/Circle' },
      Both: { allOf: [{ $ref: '#/components/schemas/Tree' }, { properties: { more: { type: 'boolean' } } }] },
    },
    responses: {
      Done: {
        description: 'Done',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Both' } } },
      },
    },
  },
};
const resolve = createResolve(document);
const routes = routesOf(document, resolve);
const route = (id: string) => routes.find((one) => one.id === id) as ApiRoute;

describe('the OpenAPI document', () => {
  it('is read with every reference resolved, and a circle or a missing target is empty', () => {
    expect(routes.map(({ id, access }) => [id, access])).toEqual([
      ['get /api/agents/{id}/file', 'api'],
      ['files.write', 'api'],
      ['secret', 'operator'],
      ['open', 'open'],
    ]);
    const { parameters, scopes, isOwnAgent, body, responses } = route('files.write');
    expect([scopes, isOwnAgent]).toEqual([['write-agent'], true]);
    expect(
      parameters.map(({ in: place, name, isRequired, choices, example }) => [
        place,
        name,
        isRequired,
        choices,
        example,
      ]),
    ).toEqual([
      ['path', 'id', true, [], 'scout'],
      ['header', 'if-match', false, [], undefined],
      ['query', 'kind', false, ['x', 'y'], undefined],
    ]);
    expect(body?.examples.map(({ title }) => title)).toEqual(['One', 'two']);
    expect(responses.map(({ status, description }) => [status, description])).toEqual([
      ['200', 'Done'],
      ['404', 'Gone'],
    ]);
    expect(resolve({ $ref: '#/components/schemas/Circle', description: 'Kept' })).toEqual({
      description: 'Kept',
    });
    expect(resolve({ $ref: '#/nowhere' })).toEqual({});
    expect(resolve({ $ref: 'https://elsewhere.example' })).toEqual({});
  });

  it('shows the fields of a schema that contains itself, and of several together', () => {
    const rows = schemaRows(route('files.write').responses[0]?.bodies[0]?.schema, resolve);
    expect(rows.slice(0, 2)).toEqual([
      { path: 'name', type: 'string', isRequired: true, description: 'Its name.' },
      { path: 'children', type: 'list of object', isRequired: false, description: undefined },
    ]);
    expect(rows.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['children[].children[].name', 'more']),
    );
    expect(rows.find(({ path }) => path === 'size')?.type).toBe('integer or null');
    expect(sampleOf({ $ref: '#/components/schemas/Tree' }, resolve)).toEqual({ name: '' });
  });

  it('of this server has a route for every endpoint, with its access, and a valid form or a field to fill in', () => {
    const open = createOpenApiDocument(endpoints, { version: '1.0.0', asksForToken: false });
    const openAccess = routesOf(open, createResolve(open)).map(({ access }) => access);
    expect(new Set(openAccess)).toEqual(new Set(['open', 'operator']));
    const served = createOpenApiDocument(endpoints, { version: '1.0.0', asksForToken: true });
    const serverResolve = createResolve(served);
    const read = new Map(routesOf(served, serverResolve).map((one) => [one.id, one]));
    expect([...read.keys()].sort()).toEqual(endpoints.map(({ id }) => id).sort());
    for (const { id, access, method, path } of endpoints) {
      const found = read.get(id) as ApiRoute;
      expect([id, found.access, found.method]).toEqual([id, access, method]);
      expect(found.path).toBe(path.replaceAll(/:(\w+)/g, '{$1}'));
      const result = buildRequest(found, initialValues(found, serverResolve, 'scout'));
      expect(result.isValid || Object.keys(result.problems).every((key) => !key.startsWith('body'))).toBe(
        true,
      );
    }
  });
});

describe('a request of the form', () => {
  const fill = (fields: Record<string, string>, body = '{}') =>
    buildRequest(route('files.write'), { fields, body });

  it('starts with the examples, and an agent of the root', () => {
    expect(initialValues(route('files.write'), resolve, 'writer')).toEqual({
      fields: { 'path id': 'writer' },
      body: '{\n  "name": "it\'s"\n}',
    });
    expect(initialValues(route('files.write'), resolve, undefined).fields).toEqual({ 'path id': 'scout' });
  });

  it('encodes what was typed, and leaves out what is empty', () => {
    expect(fill({ 'path id': 'a b/$&', 'query kind': 'x&y=ü', 'header if-match': '' })).toEqual({
      isValid: true,
      request: {
        method: 'PUT',
        url: '/api/agents/a%20b%2F%24%26/file?kind=x%26y%3D%C3%BC',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      },
    });
  });

  it('is refused with a sentence for each field that can’t be sent', () => {
    for (const dots of ['.', '..', '%2e%2E'])
      expect(fill({ 'path id': dots })).toMatchObject({ isValid: false });
    const result = fill({ 'header if-match': 'ü\n' }, '{');
    expect(result.isValid ? [] : Object.keys(result.problems).sort()).toEqual([
      'body',
      'header if-match',
      'path id',
    ]);
  });
});

describe('copied as curl', () => {
  const request: BuiltRequest = {
    method: 'PUT',
    url: '/api/agents/scout/file?x=1',
    headers: { 'if-match': '"a"', 'content-type': 'application/json' },
    body: '{\n  "content": "it\'s $HOME"\n}',
  };

  it('quotes everything for the shell, and names a token only by its variable or file', () => {
    expect(curlText(request, 'http://127.0.0.1:8000', 'key')).toBe(
      `printf 'Authorization: Bearer %s' "$DOT_MI_KEY" | curl -s -X PUT -H @- -H 'if-match: "a"' ` +
        `-H 'content-type: application/json' -d '{"content":"it'\\''s $HOME"}' 'http://127.0.0.1:8000/api/agents/scout/file?x=1'`,
    );
    expect(curlText({ ...request, method: 'GET', headers: {}, body: undefined }, 'http://x', 'none')).toBe(
      "curl -s 'http://x/api/agents/scout/file?x=1'",
    );
    expect(curlText(request, 'http://x', 'operator')).toContain(
      '"$(cat data/wallet/operator-token)" | curl -s',
    );
  });

  it('reads a body with a secret, or a long one, from a file', () => {
    for (const body of [
      '{"token":"cashuBx"}',
      '{ "mnemonic" : "a b c" }',
      '{"words":["a"]}',
      JSON.stringify({ content: 'x'.repeat(3000) }),
    ])
      expect(curlText({ ...request, body }, 'http://x', 'none')).toContain(' -d @body.json ');
  });

  it.skipIf(process.platform === 'win32')('is read by the shell as it was meant', () => {
    const text = curlText(request, 'http://x', 'none').replace(/^curl/, "printf '%s\\n'");
    expect(execFileSync('sh', ['-c', text], { encoding: 'utf8' }).split('\n')).toEqual(
      expect.arrayContaining([
        'if-match: "a"',
        '{"content":"it\'s $HOME"}',
        'http://x/api/agents/scout/file?x=1',
      ]),
    );
  });
});

it('formats a response by its type, and cuts what is too long', () => {
  expect(formatBody('{"a":1}', 'application/json; charset=utf-8')).toEqual({
    text: '{\n  "a": 1\n}',
    isCut: false,
  });
  expect(formatBody('{"a":', 'application/json')).toEqual({ text: '{"a":', isCut: false });
  expect(formatBody('a,b', 'text/csv')).toEqual({ text: 'a,b', isCut: false });
  const long = formatBody(JSON.stringify('x'.repeat(200_000)), 'application/json');
  expect([long.isCut, long.text.length]).toEqual([true, 100_000]);
  expect([0, 999, 1500, 2_500_000].map(formatBytes)).toEqual(['0 bytes', '999 bytes', '1.5 kB', '2.5 MB']);
});
