import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { needsBody } from '../../src/shared/api/endpoint.ts';
import { endpoints } from '../../src/shared/api/index.ts';
import { readJson, sendRaw } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

test('health responds whatever the root is', async () => {
  const { call } = await serve('/does/not/exist');
  const { status, body } = await call('GET', '/api/health');
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: true, dotMiRoot: '/does/not/exist', devMode: true });
  expect(body.version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(Number.isInteger(body.uptimeSeconds)).toBe(true);
});

test('the index names the routes of each task in 2 to 3 KB, as JSON or as text', async () => {
  const { url, call } = await serve(await makeRoot());
  const { status, body, headers } = await call('GET', '/api');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body.address).toBe(url);
  expect(body.token).toContain('Not required');
  expect(body.tasks['Read a file of an agent']).toBe('GET /api/agents/:id/file?path=');
  expect(body.tasks['Create an agent']).toBe('POST /api/agents {name, workspace?}');
  for (const route of Object.values<string>(body.tasks)) {
    const [, method, path] = /^(\w+) ([^?\s]+)/.exec(route) ?? [];
    const endpoint = endpoints.find((each) => each.method === method && each.path === path);
    // An agent can do everything that it lists, at least with a key.
    expect([route, endpoint?.access, endpoint?.keys]).not.toEqual([route, 'operator', 'none']);
    expect(endpoint).toBeDefined();
  }

  const ask = async (accept: string) => {
    const response = await fetch(`${url}/api`, { headers: { Accept: accept } });
    return [response.headers.get('content-type')?.split(';')[0], (await response.text()).length] as const;
  };
  for (const [accept, type] of [
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/plain', 'text/plain'],
    ['text/plain, application/json;q=0.5', 'text/plain'],
    ['text/html', 'application/json'],
  ] as const) {
    const [answered, length] = await ask(accept);
    expect([accept, answered]).toEqual([accept, type]);
    expect([accept, length > 2000, length]).toEqual([accept, true, length]);
    expect(length).toBeLessThan(3072);
  }

  const guarded = await serve(await makeRoot(), { environment: { API_TOKEN: 'a-secret-of-tests' } });
  expect((await guarded.call('GET', '/api')).body.token).toContain(
    'If you don’t have one, ask the operator.',
  );
});

test('the OpenAPI document is valid and holds every endpoint', async () => {
  const { call } = await serve(await makeRoot());
  const { status, body } = await call('GET', '/api/openapi.json');
  expect(status).toBe(200);
  const { valid, errors } = await new Validator().validate(structuredClone(body));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);

  for (const { path, method, id, success, errors: own } of endpoints) {
    const operation = body.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    expect(operation?.operationId).toBe(id);
    expect(operation.responses[success.status]).toBeDefined();
    const described = Object.values<{ $ref?: string; description: string }>(operation.responses)
      .map(
        ({ $ref = '', description }) =>
          body.components.responses[$ref.split('/').at(-1) ?? '']?.description ?? description,
      )
      .join();
    for (const code of own) expect(described).toContain(`\`${code}\``);
  }
  expect(Object.keys(body.paths)).toHaveLength(new Set(endpoints.map(({ path }) => path)).size);
});

test('the OpenAPI document describes every operation, field and parameter, and no error response twice', {
  tags: 'slow',
}, async () => {
  const { call } = await serve(await makeRoot());
  const { body } = await call('GET', '/api/openapi.json');
  const bare: string[] = [];
  const look = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { properties, in: place, name, description } = node as Record<string, never>;
    for (const [field, { description: text, $ref }] of Object.entries<Record<string, unknown>>(
      properties ?? {},
    ))
      if (!text && !$ref) bare.push(`${path}.${field}`);
    if (place && name && !description) bare.push(`${path} ${name}`);
    for (const [key, each] of Object.entries(node))
      if (!/^(x-)?examples?$/.test(key)) look(each, `${path}.${key}`);
  };
  look(body, '');
  expect(bare).toEqual([]);

  const operations = Object.values<Record<string, unknown>>(body.paths).flatMap((item) =>
    Object.values(item),
  );
  for (const operation of operations as Record<
    string,
    Record<string, { $ref?: string; description?: string }>
  >[]) {
    expect([operation.operationId, operation.description]).toEqual([
      operation.operationId,
      expect.any(String),
    ]);
    for (const [status, { $ref, description }] of Object.entries(operation.responses ?? {})) {
      if (status >= '400') expect($ref).toContain('#/components/responses/');
      else expect(description).not.toBe('Success');
    }
  }
  const shared = Object.values(body.components.responses).map((each) => JSON.stringify(each));
  expect(new Set(shared).size).toBe(shared.length);
});

test('a part of the OpenAPI document is valid alone, and far smaller', { tags: 'slow' }, async () => {
  const { call } = await serve(await makeRoot());
  const whole = (await call('GET', '/api/openapi.json')).body;
  for (const path of [
    '/api/wallet',
    '/api/agents/:id/file',
    '/api/agents/{id}/checks',
    '/api/events',
    '/api/wallet/send',
  ]) {
    const { status, body } = await call('GET', `/api/openapi.json?path=${encodeURIComponent(path)}`);
    expect([path, status]).toEqual([path, 200]);
    const { valid, errors } = await new Validator().validate(structuredClone(body));
    expect([path, valid, errors]).toEqual([path, true, undefined]);
    const paths = Object.keys(body.paths);
    expect(paths).not.toEqual([]);
    for (const each of paths) {
      expect(each.startsWith(path.replace(':id', '{id}'))).toBe(true);
      expect(body.paths[each]).toEqual(whole.paths[each]);
    }
    for (const [, kind = '', name = ''] of JSON.stringify(body).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g))
      expect([name, body.components[kind]?.[name]]).toEqual([name, whole.components[kind][name]]);
    expect(JSON.stringify(body).length).toBeLessThan(JSON.stringify(whole).length / 3);
    // What to do about each error that these routes can answer, and about no other.
    const described = JSON.stringify([body.paths, body.components]);
    for (const code of Object.keys(whole['x-errors']))
      expect([code, Object.hasOwn(body['x-errors'], code)]).toEqual([
        code,
        described.includes(`\`${code}\``),
      ]);
  }
  const unknown = await call('GET', '/api/openapi.json?path=/api/nothing');
  expect([unknown.status, unknown.body.code]).toEqual([400, 'invalid_request']);
});

test('every endpoint of the contract is bound', async () => {
  const { url } = await serve(await makeRoot());
  for (const { id, method, path } of endpoints) {
    const response = await fetch(`${url}${path.replaceAll(/:(\w+)/g, 'x')}`, { method });
    const { code } = response.headers.get('content-type')?.includes('json')
      ? await readJson(response)
      : { code: undefined };
    await response.body?.cancel().catch(() => undefined);
    expect([id, ['not_found', 'method_not_allowed', 'internal'].includes(code)]).toEqual([id, false]);
  }
});

test('bytes that are not HTTP get a response in the usual form of an error', async () => {
  const { url } = await serve(await makeRoot());
  const nonsense = await sendRaw(url, 'what is this\r\n\r\n');
  expect([nonsense.status, nonsense.body?.code]).toEqual([400, 'invalid_request']);
  const long = await sendRaw(url, `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`);
  expect([long.status, long.body?.code]).toEqual([431, 'invalid_request']);
});

test('an unknown path is 404 and an impossible method 405, as JSON', async () => {
  const { call } = await serve(await makeRoot());
  for (const path of ['/api/nothing', '/api/Agents', '/api/agents/scout/links/sessions', '/nothing']) {
    const { status, body, headers } = await call('GET', path);
    expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
  for (const [method, path, allow] of [
    ['PUT', '/api/agents', 'GET, HEAD, POST'],
    ['POST', '/api/agents/scout/file', 'GET, HEAD, PUT'],
    ['OPTIONS', '/api/health', 'GET, HEAD'],
    ['GET', '/api/trash/x/restore', 'POST'],
  ] as const) {
    const { status, body, headers } = await call(method, path);
    expect([path, status, body.code]).toEqual([path, 405, 'method_not_allowed']);
    expect(headers.get('allow')).toBe(allow);
  }
});

test('an unknown path names the nearest routes, and never one that the caller may not use', async () => {
  const server = await serve(await makeRoot());
  const nearest = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const { body } = await server.call(method, path, undefined, headers);
    expect([path, body.code]).toEqual([path, 'not_found']);
    for (const route of body.nearest ?? []) expect(body.error).toContain(route);
    return body.nearest;
  };
  for (const [method, path, expected] of [
    ['GET', '/api/agent', ['GET /api/agents']],
    ['POST', '/api/agent', ['POST /api/agents']],
    ['GET', '/agents', ['GET /api/agents']],
    ['GET', '/api/v1/agents', ['GET /api/agents']],
    ['GET', '/api/Agents', ['GET /api/agents']],
    ['GET', '/api/agents/scout/files', ['GET /api/agents/scout/file']],
    ['POST', '/api/validate', ['POST /api/wallet/validate']],
    ['POST', '/api/tokens/validate', ['POST /api/wallet/validate']],
    ['POST', '/api/wallet/recieve', ['POST /api/wallet/receive']],
    ['GET', '/api/skills', ['GET /api/catalog/skills']],
    ['GET', '/api/balance', ['GET /api/wallet/balance']],
    ['GET', '/api/openapi', ['GET /api/openapi.json']],
  ] as const)
    expect([path, await nearest(method, path)]).toEqual([path, expected]);
  expect(await nearest('GET', '/api/agents/%3Cscript%3E/filee')).toEqual(['GET /api/agents/:id/file']);
  expect(await nearest('GET', `/api/${'x/'.repeat(500)}`)).toBeUndefined();
  expect(await nearest('GET', `/api/${'agents'.repeat(500)}`)).toBeUndefined();
  // Outside the API, anybody can ask, also another website's page.
  expect(await nearest('GET', '/agent')).toBeUndefined();

  // The settings are for the operator, who may also read a key's own agent.
  expect(await nearest('GET', '/api/setting')).toBeUndefined();
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  expect(await nearest('GET', '/api/setting', operator)).toEqual(['GET /api/settings']);
  const { body: made } = await server.call('POST', '/api/keys', { label: 'x', scopes: ['prices'] }, operator);
  const key = { Authorization: `Bearer ${made.key}` };
  expect((await nearest('GET', '/api/agent', key)) ?? []).not.toContain('GET /api/agents');
  expect(await nearest('GET', '/api/pricing/model', key)).toEqual(['GET /api/pricing/models']);
});

test('a wrong method says which ones there are, and only those that the caller may use', async () => {
  const { call, operatorToken } = await serve(await makeRoot());
  const { body } = await call('PUT', '/api/agents');
  expect(body.error).toContain('Use GET (list the agents) or POST (create an agent');
  const settings = await call('POST', '/api/settings');
  expect(settings.body.error).toContain('Only the operator can use this route.');
  expect(settings.headers.get('allow')).toBe('GET, HEAD, PUT');
  const operator = { Authorization: `Bearer ${operatorToken}` };
  expect((await call('POST', '/api/settings', undefined, operator)).body.error).toContain('Use GET');
});

test('a body of another type is told the right one', async () => {
  const { call } = await serve(await makeRoot());
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const { status, body, headers } = await call('POST', '/api/agents', 'name=x', form);
  expect([status, body.error]).toEqual([
    415,
    'This body was sent as application/x-www-form-urlencoded. Send JSON, with "Content-Type: application/json".',
  ]);
  expect([headers.get('accept'), headers.get('accept-encoding')]).toEqual(['application/json', 'identity']);
});

test('HEAD responds like GET, without the body', { tags: 'slow' }, async () => {
  const { url } = await serve(await makeRoot());
  const response = await fetch(`${url}/api/agents`, { method: 'HEAD' });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
});

test('a body must be JSON in UTF-8, and says what is wrong with it', async () => {
  const { call } = await serve(await makeRoot());
  const post = (body: string, type: string) => call('POST', '/api/agents', body, { 'Content-Type': type });
  for (const type of ['text/plain', 'application/json; charset=latin1', 'application/jsonp', 'text/json']) {
    const { status, body } = await post('{"name":"x"}', type);
    expect([type, status, body.code]).toEqual([type, 415, 'unsupported_media_type']);
  }
  for (const text of ['{', '{"name":}', 'undefined', "{'name':'x'}"]) {
    const { status, body } = await post(text, 'application/json');
    expect([text, status, body.code]).toEqual([text, 400, 'invalid_json']);
  }
  for (const text of ['null', '[]', '"x"', '1']) {
    const { status, body } = await post(text, 'application/json; charset=UTF-8');
    expect([text, status, body.code]).toEqual([text, 400, 'invalid_request']);
  }
  for (const [method, path] of [
    ['POST', '/api/agents'],
    ['DELETE', '/api/agents/scout'],
    ['PUT', '/api/agents/scout/file'],
  ] as const) {
    const { status, body } = await call(method, path);
    expect([path, status, body.code, body.issues[0].path]).toEqual([path, 400, 'invalid_request', 'body']);
  }
  const zipped = await call('POST', '/api/agents', '{}', { 'Content-Encoding': 'gzip' });
  expect(zipped.status).toBe(415);
});

test('a POST without required fields needs no body, and any other says that it does', async () => {
  const server = await serve(await makeRoot());
  const authorization = { Authorization: `Bearer ${server.operatorToken}` };
  const codeOf = async (path: string) =>
    (await server.call('POST', path, undefined, authorization)).body.code;
  expect(await codeOf('/api/charges/x/release')).toBe('charge_not_found');
  expect(await codeOf('/api/wallet/check')).toBe('dev_mode');
  expect(await codeOf('/api/services/scout/stop')).toBe('service_not_found');
  const demanding = endpoints.filter((endpoint) => endpoint.method === 'POST' && needsBody(endpoint));
  expect(demanding.length).toBeGreaterThan(20);
  for (const { path } of demanding)
    expect([path, (await codeOf(path.replaceAll(/:\w+/g, 'scout'))) ?? 'accepted']).toEqual([
      path,
      expect.stringMatching(/^invalid_/),
    ]);
});

test('lists every issue of a body, unknown fields and wrong types too', async () => {
  const { call } = await serve(await makeRoot());
  const { status, body } = await call('POST', '/api/agents', {
    name: 5,
    workspace: 'yes',
    colour: 'red',
    __proto__x: 1,
  });
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
    'body.__proto__x',
    'body.colour',
    'body.name',
    'body.workspace',
  ]);
  const address = await call('GET', '/api/agents/-x/file?path=nothing');
  expect(address.body.issues.map(({ path }: { path: string }) => path)).toEqual(['params.id', 'query.path']);
  const proto = await call('POST', '/api/agents', '{"name":"x","__proto__":{"workspace":true}}');
  expect(proto.body.code).toBe('invalid_request');
});

test('returns the first of several errors: guard, route, id, body, disk', async () => {
  const { url, call } = await serve(await makeRoot());
  const guard = await sendRaw(
    url,
    'PATCH /api/agents/-x HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  );
  expect(guard.body.code).toBe('forbidden_host');
  expect((await call('PATCH', '/api/agents/-x')).body.code).toBe('method_not_allowed');
  expect((await call('PUT', '/api/agents/-x/file', '{', { 'Content-Type': 'text/plain' })).body.code).toBe(
    'invalid_agent_id',
  );
  expect((await call('PUT', '/api/agents/nobody/file', '{')).body.code).toBe('invalid_json');
  expect((await call('PUT', '/api/agents/nobody/file', { path: 'nothing', content: 1 })).body.code).toBe(
    'invalid_file_name',
  );
  expect((await call('PUT', '/api/agents/nobody/file', { path: 'SYSTEM.md', content: 1 })).body.code).toBe(
    'invalid_request',
  );
  expect((await call('PUT', '/api/agents/nobody/file', { path: 'SYSTEM.md', content: '' })).body.code).toBe(
    'agent_not_found',
  );
});

test('a "%" that encodes no character is 400, not 500', async () => {
  const { call } = await serve(await makeRoot());
  const { status, body } = await call('GET', '/api/agents/%E0%A4%A');
  expect([status, body.code]).toEqual([400, 'invalid_request']);
});

test('responses don’t reveal which program made them', { tags: 'slow' }, async () => {
  const { call } = await serve(await makeRoot());
  const { headers } = await call('GET', '/api/agents');
  expect(headers.get('x-powered-by')).toBeNull();
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});
