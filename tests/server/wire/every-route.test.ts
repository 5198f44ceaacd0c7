import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { listAgents } from '../../../src/shared/api/agents.ts';
import { DEFAULT_BODY_LIMIT_BYTES, type EndpointShape } from '../../../src/shared/api/endpoint.ts';
import type { ErrorCode } from '../../../src/shared/api/errors.ts';
import { endpoints } from '../../../src/shared/api/index.ts';
import { KEY_SCOPES, type KeyScope } from '../../../src/shared/api/key-scopes.ts';
import { heedModes } from '../../support/nobody.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { serve, type TestServer } from '../../support/server.ts';
import { fieldsOf } from './fields.ts';
import { compareWithRecord, headersOf, pathOf, recordWire, type WireAnswer } from './record.ts';

const PARAMS = { id: 'scout', name: 'say.ts', writer: 'writer-one', file: 'mcp.json' };
const SPEND = { spend: { satsPerDay: 1 } };
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A query that is valid where one is required. */
const queryOf = ({ id }: EndpointShape): Record<string, string> =>
  id === 'files.read' || id === 'root.check' || id === 'drafts.read'
    ? { path: 'SYSTEM.md' }
    : id === 'drafts.delete'
      ? { path: 'SYSTEM.md', version: '1' }
      : id === 'links.matrix'
        ? { kind: 'skills' }
        : {};

interface CommonCase {
  code: ErrorCode;
  /** Which endpoints can answer it. Default: all. */
  of?: (endpoint: EndpointShape) => boolean;
  headers?: Record<string, string>;
  body?: string;
}

const hasBody = ({ body }: EndpointShape) => body !== undefined;

/** The errors that the server answers before a handler runs. */
const COMMON_CASES: CommonCase[] = [
  { code: 'unauthorized', of: ({ access }) => access !== 'open', headers: { Authorization: 'Bearer wrong' } },
  { code: 'operator_required', of: ({ access }) => access === 'operator', headers: { Authorization: '' } },
  { code: 'forbidden_host', headers: { Host: 'evil.example' } },
  { code: 'forbidden_origin', headers: { Origin: 'http://evil.example' } },
  { code: 'root_changed', of: ({ ofRoot }) => ofRoot === true, headers: { 'Dot-Mi-Root': 'another' } },
  { code: 'invalid_json', of: hasBody, headers: JSON_TYPE, body: '{' },
  { code: 'invalid_request', of: hasBody, headers: JSON_TYPE, body: '{"unknownField":1}' },
  { code: 'unsupported_media_type', of: hasBody, headers: { 'Content-Type': 'text/plain' }, body: '{}' },
  {
    code: 'body_too_large',
    of: hasBody,
    headers: { ...JSON_TYPE, 'Content-Length': String(100 * DEFAULT_BODY_LIMIT_BYTES) },
  },
];

const answerOf = async (
  url: string,
  { method, path }: { method: string; path: string },
  headers: Record<string, string>,
  body = '',
): Promise<WireAnswer> => {
  const sent = {
    Host: new URL(url).host,
    Connection: 'close',
    ...(body === '' ? {} : { 'Content-Length': String(body.length) }),
    ...headers,
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  const answer = await sendRaw(url, [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'));
  const [, ...received] = answer.head.split('\r\n');
  const fields = fieldsOf(answer.body);
  // Which fields it lacks is up to each endpoint's schema.
  for (const field of Object.keys(fields)) if (field.startsWith('issues')) delete fields[field];
  return {
    status: answer.status,
    headers: headersOf(new Headers(received.map((line) => line.split(': ', 2) as [string, string]))),
    body: fields,
  };
};

/** Answers that are equal are kept once, with the ids of the endpoints that give them. */
const groupEqual = (answers: readonly (readonly [id: string, answer: WireAnswer])[]) =>
  Object.values(Object.groupBy(answers, ([, answer]) => JSON.stringify(answer))).flatMap((group = []) =>
    group[0] ? [{ ...group[0][1], endpoints: group.map(([id]) => id).sort() }] : [],
  );

/** Keeps the result for each argument. */
const memoize = <A, R>(make: (argument: A) => R): ((argument: A) => R) => {
  const made = new Map<string, R>();
  return (argument) => {
    const name = JSON.stringify(argument);
    const result = made.get(name) ?? make(argument);
    made.set(name, result);
    return result;
  };
};

/** Asks each route with an agent key that has every scope but those of the route. */
const askWithoutScope = async ({ url, call, operatorToken }: TestServer) => {
  const Authorization = `Bearer ${operatorToken}`;
  const keyWith = memoize(async (scopes: KeyScope[]): Promise<string> => {
    const key = { label: 'x', agent: 'scout', scopes, ...(scopes.includes('spend') ? SPEND : {}) };
    return (await call('POST', '/api/keys', key, { Authorization })).body.key;
  });
  return Promise.all(
    endpoints
      .filter(({ access, keys }) => access === 'api' || (access === 'operator' && keys !== 'none'))
      .map(async (endpoint) => {
        const scopes = KEY_SCOPES.filter((scope) => !endpoint.keys?.includes(scope));
        const path = pathOf(endpoint, PARAMS, queryOf(endpoint));
        const headers = { Authorization: `Bearer ${await keyWith(scopes)}` };
        return [endpoint.id, await answerOf(url, { method: endpoint.method, path }, headers)] as const;
      }),
  );
};

test('the errors that every route has in common are as recorded', async () => {
  const server = await serve(await makeRoot(), { environment: { API_TOKEN: 'some-token-of-tests' } });
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  const seen: Record<string, unknown> = {};
  for (const { code, of = () => true, headers = {}, body } of COMMON_CASES) {
    const answers = await Promise.all(
      endpoints
        .filter(of)
        .map(
          async (endpoint) =>
            [
              endpoint.id,
              await answerOf(
                server.url,
                { method: endpoint.method, path: pathOf(endpoint, PARAMS, queryOf(endpoint)) },
                { ...operator, ...headers },
                body,
              ),
            ] as const,
        ),
    );
    seen[code] = groupEqual(answers);
  }
  await compareWithRecord('every-route', {
    ...seen,
    forbidden_scope: groupEqual(await askWithoutScope(server)),
  });
});

test('the wire of unknown paths and methods is as recorded', async () => {
  const { url } = await serve(await makeRoot());
  const cases = { not_found: ['GET', '/api/nothing'], method_not_allowed: ['PUT', '/api/agents'] } as const;
  const answers = Object.entries(cases).map(async ([code, [method, path]]) => [
    code,
    await answerOf(url, { method, path }, {}),
  ]);
  await compareWithRecord('no-route', Object.fromEntries(await Promise.all(answers)));
});

test('the wire of files that the system refuses is as recorded', async ({ skip }) => {
  skip(process.platform === 'win32', 'Windows has no modes');
  await recordWire('permissions', async (ask) => {
    const root = await makeRoot();
    const server = await serve(root);
    const closed = join(root, 'agents');
    await chmod(closed, 0);
    onTestFinished(() => chmod(closed, 0o700));
    heedModes();
    await ask(server, listAgents, 'permission_denied');
    // The record may be in a folder that only root can open.
    process.seteuid?.(process.getuid?.() ?? 0);
  });
});
