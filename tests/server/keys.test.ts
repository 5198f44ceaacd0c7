import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_AGENT_KEYS } from '../../src/shared/api/keys.ts';
import { makeClock } from '../support/clock.ts';
import { followEvents } from '../support/follow.ts';
import { plant } from '../support/plant.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { trustRoot } from '../support/trust.ts';

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const asOperator = (server: TestServer) => (method: string, path: string, body?: unknown) =>
  server.call(method, path, body, bearer(server.operatorToken));

const createKey = async (server: TestServer, key: object) => {
  const { status, body } = await asOperator(server)('POST', '/api/keys', { label: 'Test', ...key });
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
};

const get = (server: TestServer, path: string, key: string) =>
  server.call('GET', path, undefined, bearer(key));

test('only the operator creates, lists and revokes keys, and a revoked one fails at once', async () => {
  const server = await serve(await makeRoot());
  for (const [method, path, body] of [
    ['GET', '/api/keys'],
    ['POST', '/api/keys', { label: 'Mine', scopes: ['prices'] }],
    ['DELETE', '/api/keys/x'],
  ] as const)
    expect((await server.call(method, path, body)).body.code).toBe('operator_required');

  const { key, ...created } = await createKey(server, { scopes: ['read-agents'], agent: 'scout' });
  expect(key).toMatch(/^dmk_[0-9a-f]{64}$/);
  expect(created).toMatchObject({
    label: 'Test',
    agent: 'scout',
    otherRoot: false,
    scopes: ['read-agents'],
    spend: null,
    expiresAt: null,
    expired: false,
    lastUsedAt: null,
  });
  expect((await get(server, '/api/agents', key)).status).toBe(200);
  const { body } = await asOperator(server)('GET', '/api/keys');
  expect(body).toMatchObject({ keys: [{ id: created.id }] });
  expect(body.keys[0].lastUsedAt).not.toBeNull();
  expect(JSON.stringify(body)).not.toContain('dmk_');

  expect((await asOperator(server)('DELETE', `/api/keys/${created.id}`)).body).toEqual({ ok: true });
  const refused = await get(server, '/api/agents', key);
  expect([refused.status, refused.body.code]).toEqual([401, 'unauthorized']);
  expect(refused.body.error).toContain('revoked');
  const again = await asOperator(server)('DELETE', `/api/keys/${created.id}`);
  expect([again.status, again.body.code]).toEqual([404, 'agent_key_not_found']);
});

test('a key stops working when it expires, and an unknown one never works', async () => {
  const clock = makeClock();
  const server = await serve(await makeRoot(), { clock });
  const expiresAt = new Date(clock.now() + 60_000).toISOString();
  const { key } = await createKey(server, { scopes: ['read-agents'], expiresAt });
  expect((await get(server, '/api/agents', key)).status).toBe(200);
  clock.pass(60_000);
  const expired = await get(server, '/api/agents', key);
  expect([expired.status, expired.body.code]).toEqual([401, 'unauthorized']);
  expect(expired.body.error).toContain('expired');
  expect((await asOperator(server)('GET', '/api/keys')).body.keys).toMatchObject([{ expired: true }]);

  const unknown = await get(server, '/api/agents', `dmk_${'0'.repeat(64)}`);
  expect([unknown.status, unknown.body.code]).toEqual([401, 'unauthorized']);
  const past = await asOperator(server)('POST', '/api/keys', { label: 'x', scopes: ['prices'], expiresAt });
  expect(past.body).toMatchObject({ code: 'invalid_request', issues: [{ path: 'body.expiresAt' }] });
});

test('refuses keys that could do nothing, or whose limits are missing', async () => {
  const server = await serve(await makeRoot());
  const refusal = async (key: object) => {
    const { status, body } = await asOperator(server)('POST', '/api/keys', { label: 'x', ...key });
    return [status, body.code, body.issues?.[0]?.path];
  };
  expect(await refusal({ scopes: [] })).toEqual([400, 'invalid_request', 'body.scopes']);
  expect(await refusal({ scopes: ['all'] })).toEqual([400, 'invalid_request', 'body.scopes.0']);
  expect(await refusal({ scopes: ['prices', 'prices'] })).toEqual([400, 'invalid_request', 'body.scopes']);
  expect(await refusal({ scopes: ['spend'] })).toEqual([400, 'invalid_request', 'body.spend']);
  expect(await refusal({ scopes: ['prices'], spend: { satsPerDay: 5 } })).toEqual([
    400,
    'invalid_request',
    'body.spend',
  ]);
  expect(await refusal({ scopes: ['write-agent'] })).toEqual([400, 'invalid_request', 'body.agent']);
  expect(await refusal({ scopes: ['prices'], label: ' ' })).toEqual([400, 'invalid_request', 'body.label']);
  expect(await refusal({ scopes: ['prices'], agent: '../x' })).toEqual([
    400,
    'invalid_agent_id',
    'body.agent',
  ]);
  expect(await refusal({ scopes: ['prices'], agent: 'nobody' })).toEqual([404, 'agent_not_found', undefined]);
});

test('an agent receives tokens for itself without saying so, and for no other agent', async () => {
  const server = await serve(await makeRoot());
  const own = await createKey(server, { scopes: ['receive'], agent: 'scout' });
  const anyones = await createKey(server, { scopes: ['receive'] });
  const receive = (key: string, body: object) =>
    server.call('POST', '/api/wallet/receive', { token: 'cashuAtest', ...body }, bearer(key));
  expect((await receive(own.key, {})).status).toBe(200);
  expect((await receive(own.key, { agent: 'scout', label: 'Order 17' })).status).toBe(200);
  expect((await receive(anyones.key, { agent: 'courier' })).status).toBe(200);
  const refused = await receive(own.key, { agent: 'courier' });
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden_agent']);
  const { entries } = (await asOperator(server)('GET', '/api/wallet/history')).body;
  expect(entries.map(({ agent, label }: { agent?: string; label?: string }) => [agent, label])).toEqual([
    ['courier', undefined],
    ['scout', 'Order 17'],
    ['scout', undefined],
  ]);
});

test('a key changes its own agent only, and no agent of that name in another root', async () => {
  const dataDirectory = await makeTempDirectory();
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'You carry.\n' });
  const first = await serve(root, { dataDirectory });
  const { key } = await createKey(first, { scopes: ['write-agent'], agent: 'scout' });
  const write = (server: TestServer, agent: string) =>
    server.call(
      'PUT',
      `/api/agents/${agent}/file`,
      { path: 'SYSTEM.md', content: 'You are new.\n' },
      bearer(key),
    );
  expect((await write(first, 'scout')).status).toBe(200);
  for (const other of ['courier', 'nobody', 'SCOUT', '%73cout%2f..%2fcourier']) {
    const refused = await write(first, other);
    expect([other, refused.status, refused.body.code]).toEqual([other, 403, 'forbidden_agent']);
  }
  expect(await readFile(join(root, 'agents/courier/SYSTEM.md'), 'utf8')).toBe('You carry.\n');
  await first.close();

  const second = await serve(await makeRoot(), { dataDirectory });
  const refused = await write(second, 'scout');
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden_agent']);
  expect(refused.body.error).toContain('another root');
  expect((await asOperator(second)('GET', '/api/keys')).body.keys).toMatchObject([{ otherRoot: true }]);
});

test('what a key of another root’s agent receives counts for no agent of this root', async () => {
  const dataDirectory = await makeTempDirectory();
  const first = await serve(await makeRoot(), { dataDirectory });
  const { key } = await createKey(first, { scopes: ['receive'], agent: 'scout' });
  await first.close();

  const second = await serve(await makeRoot(), { dataDirectory });
  const receive = (body: object) =>
    second.call('POST', '/api/wallet/receive', { token: 'cashuAtest', ...body }, bearer(key));
  expect((await receive({})).status).toBe(200);
  const named = await receive({ agent: 'scout' });
  expect([named.status, named.body.code]).toEqual([403, 'forbidden_agent']);
  const { entries } = (await asOperator(second)('GET', '/api/wallet/history')).body;
  expect(entries.map(({ agent }: { agent?: string }) => agent)).toEqual([undefined]);
});

test('a key that was refused doesn’t count as used', async () => {
  const server = await serve(await makeRoot());
  const { key } = await createKey(server, { scopes: ['prices'], agent: 'scout' });
  const lastUse = async () => (await asOperator(server)('GET', '/api/keys')).body.keys[0].lastUsedAt;
  expect((await get(server, '/api/agents', key)).status).toBe(403);
  expect((await get(server, '/api/nothing', key)).status).toBe(404);
  expect(await lastUse()).toBeNull();
  expect((await get(server, '/api/pricing/models', key)).status).toBe(200);
  expect(await lastUse()).not.toBeNull();
});

test('keys end with their agent, and no later agent of its id has them', { tags: 'slow' }, async () => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'You carry.\n' });
  const server = await serve(root);
  await trustRoot(server);
  const call = asOperator(server);
  const works = async (key: string) => (await get(server, '/api/agents', key)).status === 200;
  const keyFor = async (agent: string): Promise<string> =>
    (await createKey(server, { scopes: ['read-agents'], agent })).key;
  const removeOutside = (agent: string) => rm(join(root, 'agents', agent), { recursive: true });

  const other = await keyFor('courier');
  const scout = await keyFor('scout');
  expect((await call('DELETE', '/api/agents/scout', { confirm: 'courier' })).status).toBe(400);
  expect(await works(scout)).toBe(true);
  const { entry } = (await call('DELETE', '/api/agents/scout', { confirm: 'scout' })).body;
  expect(await works(scout)).toBe(false);
  expect((await call('POST', `/api/trash/${entry}/restore`)).status).toBe(200);
  expect(await works(scout)).toBe(false);

  for (const [method, path, body] of [
    ['POST', '/api/agents', { name: 'scout' }],
    ['POST', '/api/agents/courier/duplicate', { name: 'scout' }],
  ] as const) {
    const left = await keyFor('scout');
    // The id is taken, so nothing happens, also to the keys.
    expect((await call(method, path, body)).status).toBe(409);
    expect(await works(left)).toBe(true);
    await removeOutside('scout');
    expect((await call(method, path, body)).status).toBe(201);
    expect(await works(left)).toBe(false);
  }

  const left = await keyFor('scout');
  await call('DELETE', '/api/agents/courier', { confirm: 'courier' });
  expect(await works(other)).toBe(false);
  const { entries } = (await call('GET', '/api/trash')).body;
  const restore = () => call('POST', `/api/trash/${entries[0].entry}/restore?name=scout`);
  expect((await restore()).status).toBe(409);
  expect(await works(left)).toBe(true);
  await removeOutside('scout');
  expect((await restore()).status).toBe(200);
  expect(await works(left)).toBe(false);
  expect((await call('GET', '/api/keys')).body).toEqual({ keys: [] });
});

test('with REQUIRE_KEYS a caller needs a key or the operator token, and API_TOKEN opens nothing', async () => {
  const server = await serve(await makeRoot(), {
    environment: { REQUIRE_KEYS: 'true', API_TOKEN: 'some-token-of-tests' },
  });
  const none = await server.call('GET', '/api/agents');
  expect([none.status, none.body.code]).toEqual([401, 'unauthorized']);
  expect(none.body.error).toContain('agent key');
  expect((await get(server, '/api/agents', 'some-token-of-tests')).status).toBe(401);
  expect((await server.call('POST', '/api/sign-in/token', {}, bearer('some-token-of-tests'))).status).toBe(
    401,
  );
  expect((await asOperator(server)('GET', '/api/agents')).status).toBe(200);
  expect((await get(server, '/api/agents', server.pageToken)).status).toBe(200);

  const { key } = await createKey(server, { scopes: ['read-agents'] });
  expect((await get(server, '/api/agents', key)).status).toBe(200);
  // No key becomes a token of the page.
  expect((await server.call('POST', '/api/sign-in/token', {}, bearer(key))).status).toBe(403);
  const { body: health } = await server.call('GET', '/api/health');
  expect([health.ok, health.dotMiRoot]).toEqual([true, undefined]);
  expect((await get(server, '/api/health', key)).body.dotMiRoot).toBe(server.rootPath);
  expect((await get(server, '/api/nothing', key)).status).toBe(404);
  expect((await server.call('GET', '/api/nothing')).status).toBe(401);
});

test('keys and their last use survive a restart, uses are written together, and a damaged file lets nobody in', {
  tags: 'slow',
}, async () => {
  const clock = makeClock();
  const root = await makeRoot();
  const dataDirectory = await makeTempDirectory();
  const path = join(dataDirectory, 'data/wallet/agent-keys.json');
  const first = await serve(root, { clock, dataDirectory });
  const { key } = await createKey(first, { scopes: ['read-agents'] });
  const before = await stat(path);
  expect(before.mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
  for (let call = 0; call < 20; call++) await get(first, '/api/agents', key);
  expect((await stat(path)).ino).toBe(before.ino);
  await first.close();

  const second = await serve(root, { clock, dataDirectory });
  expect((await asOperator(second)('GET', '/api/keys')).body.keys[0].lastUsedAt).toBe(
    new Date(clock.now()).toISOString(),
  );
  expect((await get(second, '/api/agents', key)).status).toBe(200);
  await second.close();

  await writeFile(path, '{"version":1,"keys":[{');
  const third = await serve(root, { clock, dataDirectory });
  expect((await get(third, '/api/agents', key)).status).toBe(401);
  expect((await asOperator(third)('GET', '/api/keys')).body.keys).toEqual([]);
  const names = await readdir(join(path, '..'));
  expect(names.filter((name) => name.startsWith('agent-keys.json.damaged-'))).toHaveLength(1);
});

test('refuses more keys than dot-mi keeps', async () => {
  const dataDirectory = await makeTempDirectory();
  const key = {
    label: 'x',
    agent: null,
    scopes: ['prices'],
    satsPerDay: null,
    createdAt: '2026-03-01T12:00:00.000Z',
    expiresAt: null,
    lastUsedAt: null,
  };
  const keys = Array.from({ length: MAX_AGENT_KEYS }, (_, index) => ({
    ...key,
    id: `key-${index}`,
    hash: index.toString(16).padStart(64, '0'),
  }));
  await plant(dataDirectory, { 'data/wallet/agent-keys.json': JSON.stringify({ version: 1, keys }) });
  const server = await serve(await makeRoot(), { dataDirectory });
  const create = () => asOperator(server)('POST', '/api/keys', { label: 'x', scopes: ['prices'] });
  const refused = await create();
  expect([refused.status, refused.body.code]).toEqual([409, 'too_many_keys']);
  await asOperator(server)('DELETE', '/api/keys/key-7');
  expect((await create()).status).toBe(201);
});

test('a key says which agent it stands for and what it may do, and nothing about others', async () => {
  const server = await serve(await makeRoot());
  const { key, ...created } = await createKey(server, {
    agent: 'scout',
    scopes: ['prices', 'spend'],
    spend: { satsPerDay: 9 },
  });
  await createKey(server, { scopes: ['prices'] });
  const { status, body } = await get(server, '/api/keys/own', key);
  expect([status, body]).toEqual([200, { key: { ...created, lastUsedAt: expect.any(String) } }]);
  expect((await server.call('GET', '/api/keys/own')).body).toEqual({ key: null });
  expect((await asOperator(server)('GET', '/api/keys/own')).body).toEqual({ key: null });
});

test('a key follows what it may read and nothing else, until it is revoked', { tags: 'slow' }, async () => {
  const server = await serve(await makeRoot());
  const reader = await createKey(server, { scopes: ['read-agents'] });
  const cashier = await createKey(server, { scopes: ['receive'] });
  const writer = await createKey(server, { scopes: ['write-agent'], agent: 'scout' });
  const refused = await get(server, '/api/events', writer.key);
  expect([refused.status, refused.body.code]).toEqual([403, 'forbidden_scope']);

  const agents = await followEvents(server.url, bearer(reader.key));
  const money = await followEvents(server.url, bearer(cashier.key));
  const everything = await followEvents(server.url, bearer(server.operatorToken));
  const namesOf = ({ events }: typeof agents) => new Set<string>(events.map(({ name }) => name));
  await asOperator(server)('PUT', '/api/agents/scout/file', { path: 'AGENT.md', content: 'x' });
  await asOperator(server)('POST', '/api/wallet/receive', { token: 'cashuAtest' });
  await until(() => namesOf(everything).has('wallet') && namesOf(agents).has('agents'));
  await until(() => namesOf(money).has('wallet'));
  expect(namesOf(money)).toEqual(new Set(['hello', 'wallet']));
  for (const name of ['wallet', 'keys', 'settings', 'drafts', 'requests', 'price'])
    expect([name, namesOf(agents).has(name)]).toEqual([name, false]);

  await asOperator(server)('DELETE', `/api/keys/${cashier.id}`);
  expect(await money.ended).toBe('ended');
  await asOperator(server)('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: 'y' });
  await until(() => agents.events.some(({ data }) => JSON.stringify(data).includes('SYSTEM.md')));
});

const filesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test('the key itself is in no file, log line, event or recorded request', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const dataDirectory = await makeTempDirectory();
  const lines: string[] = [];
  const server = await serve(root, {
    dataDirectory,
    environment: { LOG_LEVEL: 'trace' },
    logLines: { write: (line: string) => void lines.push(line) },
  });
  const stream = new AbortController();
  const events = await fetch(`${server.url}/api/events`, {
    signal: stream.signal,
    headers: bearer(server.operatorToken),
  });
  const { id, key } = await createKey(server, {
    agent: 'scout',
    scopes: ['receive', 'write-agent', 'spend'],
    spend: { satsPerDay: 5 },
  });
  for (const [method, path, body] of [
    ['POST', '/api/wallet/receive', { token: 'cashuAtest' }],
    ['POST', '/api/wallet/send', { amount: 1 }],
    ['PUT', '/api/agents/scout/file', { path: 'AGENT.md', content: 'x' }],
    ['PUT', '/api/agents/scout/file', '{'],
    ['GET', '/api/agents'],
    ['GET', '/api/agents/%'],
    ['GET', '/api/nothing'],
    ['DELETE', '/api/wallet/send'],
  ] as const)
    await server.call(method, path, body, bearer(key));
  await asOperator(server)('DELETE', `/api/keys/${id}`);
  await get(server, '/api/agents', key);
  const recorded = JSON.stringify((await asOperator(server)('GET', '/api/requests')).body);
  expect(recorded).toContain('scout');

  let seen = '';
  const reader = events.body?.getReader();
  const decoder = new TextDecoder();
  // The key was created, and at last revoked.
  while (reader && (seen.match(/^event: keys$/gm)?.length ?? 0) < 2) {
    const { value, done } = await reader.read();
    expect(done, 'the stream ended').toBe(false);
    seen += decoder.decode(value, { stream: true });
  }
  stream.abort();
  await server.close();
  const secret = key.slice('dmk_'.length);
  const files = [...(await filesIn(dataDirectory)), ...(await filesIn(root))];
  expect(files.some((path) => path.endsWith('agent-keys.json'))).toBe(true);
  for (const path of files) expect([path, (await readFile(path)).includes(secret)]).toEqual([path, false]);
  expect(lines.join('')).not.toContain(secret);
  expect(seen).not.toContain(secret);
  expect(recorded).not.toContain(secret);
});
