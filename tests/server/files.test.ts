import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../support/any-text.ts';
import { etagOf } from '../support/etag.ts';
import { readJson } from '../support/raw-http.ts';
import { shareServer } from '../support/shared-server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const { makeRoot, serve } = shareServer();

const FILE = '/api/agents/scout/file';

test('reads a file with a strong etag, in the body and as a header', async () => {
  const { call } = await serve(await makeRoot());
  const { status, headers, body } = await call('GET', `${FILE}?path=SYSTEM.md`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    path: 'SYSTEM.md',
    content: 'You are a scout.\n',
    missing: false,
    etag: etagOf('You are a scout.\n'),
  });
  expect(body.modifiedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(headers.get('etag')).toBe(body.etag);
});

test('a missing optional file is empty, a missing pi-args or SYSTEM.md is 404', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  for (const path of ['APPEND_SYSTEM.md', 'AGENT.md', 'workspace.conf']) {
    const { status, headers, body } = await call('GET', `${FILE}?path=${path}`);
    expect([status, body]).toEqual([200, { path, content: '', missing: true, etag: null, modifiedAt: null }]);
    expect(headers.get('etag')).toBeNull();
  }
  await rm(join(root, 'agents/scout/pi-args'));
  await rm(join(root, 'agents/scout/SYSTEM.md'));
  for (const path of ['pi-args', 'SYSTEM.md']) {
    const { status, body } = await call('GET', `${FILE}?path=${path}`);
    expect([status, body.code]).toEqual([404, 'file_not_found']);
  }
});

test('reads no logins of pi through a link', async () => {
  const root = await makeRoot({
    'agents/scout/auth.json': '{"key":"secret"}',
    'agents/scout/AGENT.md': { link: 'auth.json' },
  });
  const { status, body } = await (await serve(root)).call('GET', `${FILE}?path=AGENT.md`);
  expect([status, body.code]).toEqual([409, 'not_a_file']);
  expect(JSON.stringify(body)).not.toContain('secret');
});

test('refuses every other file name, on reads and writes', async () => {
  const root = await makeRoot({ 'agents/scout/settings.json': '{}' });
  const { call } = await serve(root);
  for (const path of [
    'settings.json',
    '../scout/SYSTEM.md',
    'system.md',
    'SYSTEM.md ',
    '/etc/passwd',
    '',
    '__proto__',
  ]) {
    const read = await call('GET', `${FILE}?path=${encodeURIComponent(path)}`);
    expect([path, read.status, read.body.code]).toEqual([path, 400, 'invalid_file_name']);
    const write = await call('PUT', FILE, { path, content: 'x' });
    expect([path, write.status, write.body.code]).toEqual([path, 400, 'invalid_file_name']);
  }
  const twice = await call('GET', `${FILE}?path=SYSTEM.md&path=pi-args`);
  expect([twice.status, twice.body.code]).toEqual([400, 'invalid_request']);
  expect(await readFile(join(root, 'agents/scout/settings.json'), 'utf8')).toBe('{}');
});

test('writes byte for byte: CRLF, BOM and a missing final newline survive', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  for (const content of [
    'a\r\nb\r\n',
    '\uFEFFbom\n',
    'no newline',
    '',
    '\r',
    '\u0001\u001f\u2028𝄞é\t',
    'x'.repeat(2 * 1024 * 1024),
  ]) {
    const written = await call('PUT', FILE, { path: 'SYSTEM.md', content });
    expect([written.status, written.body.etag]).toEqual([200, etagOf(content)]);
    expect((await readFile(join(root, 'agents/scout/SYSTEM.md'))).equals(Buffer.from(content))).toBe(true);
    const read = await call('GET', `${FILE}?path=SYSTEM.md`);
    expect(read.body.content === content).toBe(true);
    expect(read.body.etag).toBe(etagOf(content));
  }
});

test('whatever text is written is read back (property)', async () => {
  const { call } = await serve(await makeRoot());
  await fc.assert(
    fc.asyncProperty(
      anyText({ maxLength: 200 }).filter((text) => text.isWellFormed() && !text.includes('\0')),
      async (content) => {
        expect((await call('PUT', FILE, { path: 'AGENT.md', content })).status).toBe(200);
        expect((await call('GET', `${FILE}?path=AGENT.md`)).body.content).toBe(content);
      },
    ),
    { numRuns: 15 },
  );
});

test('refuses text that could not be read back: NUL, a lone surrogate, over 2 MiB', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  for (const content of ['a\0b', '\ud800', 'x\udfff']) {
    const { status, body } = await call('PUT', FILE, { path: 'SYSTEM.md', content });
    expect([status, body.code, body.issues[0].path]).toEqual([400, 'invalid_request', 'body.content']);
  }
  const large = await call('PUT', FILE, { path: 'SYSTEM.md', content: 'é'.repeat(1024 * 1024 + 1) });
  expect([large.status, large.body.code]).toEqual([413, 'file_too_large']);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('You are a scout.\n');
});

test('2 MiB of characters that JSON writes as six bytes each still fit into a body', {
  tags: 'slow',
}, async () => {
  const { call } = await serve(await makeRoot());
  const body = `{"path":"SYSTEM.md","content":"${'\\u0001'.repeat(2 * 1024 * 1024)}"}`;
  expect((await call('PUT', FILE, body)).status).toBe(200);
});

test('refuses a body whose bytes are not UTF-8 instead of saving replacement characters', async () => {
  const root = await makeRoot();
  const { url } = await serve(root);
  const body = Buffer.concat([
    Buffer.from('{"path":"SYSTEM.md","content":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]);
  const response = await fetch(`${url}${FILE}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  expect([response.status, (await readJson(response)).code]).toEqual([400, 'invalid_json']);
});

test('files that are not text are refused on read, and no save can damage them', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  for (const bytes of [Buffer.from([0xff, 0xfe, 0x41]), Buffer.from('a\0b'), Buffer.from([0xc3])]) {
    await writeFile(join(root, 'agents/scout/SYSTEM.md'), bytes);
    const read = await call('GET', `${FILE}?path=SYSTEM.md`);
    expect([read.status, read.body.code]).toEqual([422, 'not_text']);
    const write = await call('PUT', FILE, { path: 'SYSTEM.md', content: 'text' });
    expect([write.status, write.body.code]).toEqual([422, 'not_text']);
    expect((await readFile(join(root, 'agents/scout/SYSTEM.md'))).equals(bytes)).toBe(true);
  }
});

test('files over 2 MiB, directories and pipes are refused and never hang', async () => {
  const root = await makeRoot({ 'agents/scout/AGENT.md/inside': 'x' });
  execFileSync('mkfifo', [join(root, 'agents/scout/APPEND_SYSTEM.md')]);
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), Buffer.alloc(2 * 1024 * 1024 + 1, 'x'));
  const { call } = await serve(root);
  for (const [path, status, code] of [
    ['SYSTEM.md', 413, 'file_too_large'],
    ['AGENT.md', 409, 'not_a_file'],
    ['APPEND_SYSTEM.md', 409, 'not_a_file'],
  ]) {
    const read = await call('GET', `${FILE}?path=${path}`);
    expect([path, read.status, read.body.code]).toEqual([path, status, code]);
    const write = await call('PUT', FILE, { path, content: 'x' });
    expect([path, write.status, write.body.code]).toEqual([path, status, code]);
  }
  expect((await stat(join(root, 'agents/scout/SYSTEM.md'))).size).toBe(2 * 1024 * 1024 + 1);
});

test('reads through a link inside the root, refuses one that leaves it, and reports a broken one', async () => {
  const outside = join(await makeTempDirectory(), 'outside.md');
  await writeFile(outside, 'secret');
  const root = await makeRoot({
    'shared/prompt.md': 'shared prompt',
    'agents/scout/AGENT.md': { link: '../../shared/prompt.md' },
    'agents/scout/APPEND_SYSTEM.md': { link: outside },
    'agents/scout/workspace.conf': { link: 'nowhere' },
  });
  const { call } = await serve(root);
  expect((await call('GET', `${FILE}?path=AGENT.md`)).body.content).toBe('shared prompt');
  const leaving = await call('GET', `${FILE}?path=APPEND_SYSTEM.md`);
  expect([leaving.status, leaving.body.code]).toEqual([403, 'outside_root']);
  expect(JSON.stringify(leaving.body)).not.toContain('outside.md');
  const dangling = await call('GET', `${FILE}?path=workspace.conf`);
  expect([dangling.status, dangling.body.code]).toEqual([404, 'file_not_found']);

  for (const path of ['AGENT.md', 'APPEND_SYSTEM.md', 'workspace.conf']) {
    const write = await call('PUT', FILE, { path, content: 'x' });
    expect([path, write.status, write.body.code]).toEqual([path, 409, 'linked_file']);
    expect((await lstat(join(root, 'agents/scout', path))).isSymbolicLink()).toBe(true);
  }
  expect(await readFile(outside, 'utf8')).toBe('secret');
  expect(await readFile(join(root, 'shared/prompt.md'), 'utf8')).toBe('shared prompt');
});

test('notices changes to the target of a link inside the root', async () => {
  const root = await makeRoot({
    'shared/prompt.md': 'one',
    'agents/scout/AGENT.md': { link: '../../shared/prompt.md' },
  });
  const { call } = await serve(root);
  expect((await call('GET', `${FILE}?path=AGENT.md`)).body.content).toBe('one');
  await writeFile(join(root, 'shared/prompt.md'), 'two');
  expect((await call('GET', `${FILE}?path=AGENT.md`)).body.content).toBe('two');
});

test('the next request shows an edit of another program, even with the same size and time', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const path = join(root, 'agents/scout/SYSTEM.md');
  const old = new Date('2020-01-01');
  for (let round = 0; round < 30; round++) {
    const content = `round ${String(round).padStart(3, '0')}`;
    await writeFile(path, content);
    await utimes(path, old, old);
    expect((await call('GET', `${FILE}?path=SYSTEM.md`)).body.content).toBe(content);
  }
});

test('keeps the mode of a file', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const path = join(root, 'agents/scout/SYSTEM.md');
  await chmod(path, 0o640);
  await call('PUT', FILE, { path: 'SYSTEM.md', content: 'new' });
  expect((await stat(path)).mode & 0o777).toBe(0o640);
});

test('creates each of the five files when it is missing', async () => {
  const root = await makeRoot({ 'agents/bare': null });
  const { call } = await serve(root);
  for (const path of ['pi-args', 'SYSTEM.md', 'APPEND_SYSTEM.md', 'AGENT.md', 'workspace.conf']) {
    const first = await call('PUT', '/api/agents/bare/file', { path, content: 'x' });
    expect(first.body).toEqual({ ok: true, etag: etagOf('x'), created: true });
    const second = await call('PUT', '/api/agents/bare/file', { path, content: 'y' });
    expect(second.body.created).toBe(false);
  }
});

test('If-Match loses no update, and If-None-Match: * only creates', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const read = await call('GET', `${FILE}?path=SYSTEM.md`);
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'edited elsewhere');

  const lost = await call(
    'PUT',
    FILE,
    { path: 'SYSTEM.md', content: 'mine' },
    { 'If-Match': read.body.etag },
  );
  expect([lost.status, lost.body.code, lost.body.etag]).toEqual([
    412,
    'file_changed',
    etagOf('edited elsewhere'),
  ]);
  expect(await readFile(join(root, 'agents/scout/SYSTEM.md'), 'utf8')).toBe('edited elsewhere');

  const weak = await call(
    'PUT',
    FILE,
    { path: 'SYSTEM.md', content: 'mine' },
    { 'If-Match': `W/${lost.body.etag}` },
  );
  expect(weak.status).toBe(412);
  const kept = await call(
    'PUT',
    FILE,
    { path: 'SYSTEM.md', content: 'mine' },
    { 'If-Match': `"x", ${lost.body.etag}` },
  );
  expect(kept.status).toBe(200);

  const gone = await call('PUT', FILE, { path: 'AGENT.md', content: 'x' }, { 'If-Match': '*' });
  expect([gone.status, gone.body.etag]).toEqual([412, null]);
  const create = await call('PUT', FILE, { path: 'AGENT.md', content: 'x' }, { 'If-None-Match': '*' });
  expect(create.body.created).toBe(true);
  const again = await call('PUT', FILE, { path: 'AGENT.md', content: 'y' }, { 'If-None-Match': '*' });
  expect([again.status, again.body.code, again.body.etag]).toEqual([412, 'file_changed', etagOf('x')]);
});

test('of many writers with the same If-Match exactly one wins', async () => {
  const { call } = await serve(await makeRoot());
  const { body } = await call('GET', `${FILE}?path=SYSTEM.md`);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      call('PUT', FILE, { path: 'SYSTEM.md', content: `writer ${i}` }, { 'If-Match': body.etag }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
});

test('a counter that many programs increment with If-Match misses no step', { tags: 'slow' }, async () => {
  const { call } = await serve(await makeRoot());
  await call('PUT', FILE, { path: 'SYSTEM.md', content: '0' });
  const raise = async (): Promise<void> => {
    const { body } = await call('GET', `${FILE}?path=SYSTEM.md`);
    const content = String(Number(body.content) + 1);
    const { status } = await call('PUT', FILE, { path: 'SYSTEM.md', content }, { 'If-Match': body.etag });
    if (status !== 200) return raise();
  };
  await Promise.all(Array.from({ length: 25 }, raise));
  expect((await call('GET', `${FILE}?path=SYSTEM.md`)).body.content).toBe('25');
});

test('a save removes the temp files of a crash, and no others', async () => {
  const root = await makeRoot({
    'agents/scout/.SYSTEM.md.0123abcd.tmp': 'half',
    'agents/scout/.pi-args.999999999-0123abcd.tmp': 'half',
    [`agents/scout/.AGENT.md.${process.ppid}-0123abcd.tmp`]: 'of another live process',
    'agents/scout/.notes.md.0123abcd.tmp': 'not ours',
  });
  const { call } = await serve(root);
  await call('PUT', FILE, { path: 'SYSTEM.md', content: 'x' });
  const isThere = async (name: string) =>
    lstat(join(root, 'agents/scout', name)).then(
      () => true,
      () => false,
    );
  expect(await isThere('.SYSTEM.md.0123abcd.tmp')).toBe(false);
  expect(await isThere('.pi-args.999999999-0123abcd.tmp')).toBe(false);
  expect(await isThere(`.AGENT.md.${process.ppid}-0123abcd.tmp`)).toBe(true);
  expect(await isThere('.notes.md.0123abcd.tmp')).toBe(true);
});

test('a write that fails leaves the old file, no temp file, and says why', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const path = join(root, 'agents/scout/APPEND_SYSTEM.md');
  await mkdir(path);
  const { status, body } = await call('PUT', FILE, { path: 'APPEND_SYSTEM.md', content: 'x' });
  expect([status, body.code]).toEqual([409, 'not_a_file']);
  await rm(path, { recursive: true });
  await symlink('/dev/full', path);
  expect((await call('PUT', FILE, { path: 'APPEND_SYSTEM.md', content: 'x' })).body.code).toBe('linked_file');
});
