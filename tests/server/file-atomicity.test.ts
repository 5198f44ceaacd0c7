import { type ChildProcess, fork } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { writeAtomically } from '../../src/server/platform/atomic-write.ts';
import { serveOperator } from '../support/as-operator.ts';
import { beforeEachFlush } from '../support/before-each-flush.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTempDirectory } from '../support/temp.ts';

const READER = fileURLToPath(new URL('../support/file-reader.ts', import.meta.url));

/** What a writer writes: long enough to take several writes, and one version from end to end. */
const version = (number: number) => `${String(number).padStart(6, '0')}\n`.repeat(20_000);

const isWhole = (text: string) => text.length === 140_000 && text === text.slice(0, 7).repeat(20_000);

const nextMessage = <T>(child: ChildProcess) =>
  new Promise<T>((resolve) => child.once('message', resolve as (message: unknown) => void));

test('200 simultaneous writers and 200 readers in another process: no reader gets a mix', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const path = join(root, 'agents/scout/SYSTEM.md');
  await call('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: version(0) });

  const reader = fork(READER, [path, '200']);
  onTestFinished(() => void reader.kill('SIGKILL'));
  await nextMessage(reader);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      call('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: version(i + 1) }),
    ),
  );
  const seen = nextMessage<{ reads: number; mixes: number; versions: number }>(reader);
  reader.send('stop');
  const { reads, mixes, versions } = await seen;

  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(mixes).toBe(0);
  // The readers did read while versions changed, else they proved nothing.
  expect(reads).toBeGreaterThan(200);
  expect(versions).toBeGreaterThan(3);
  expect(isWhole(await readFile(path, 'utf8'))).toBe(true);
});

test('kill -9 in the middle of writes leaves one of the written versions, and the next save tidies up', async () => {
  const root = await makeRoot();
  const path = join(root, 'agents/scout/SYSTEM.md');
  const put = (url: string, number: number) =>
    fetch(`${url}/api/agents/scout/file`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ path: 'SYSTEM.md', content: version(number) }),
    }).then(
      (response) => response.ok,
      () => false,
    );

  let written = 0;
  for (let round = 0; round < 3; round++) {
    const server = await startServerProcess({ DOT_MI_ROOT: root, LOG_LEVEL: 'silent' });
    let acknowledged = 0;
    const writes = Array.from({ length: 30 }, (_, i) =>
      put(server.url, round * 100 + i).then((ok) => {
        if (ok) acknowledged++;
      }),
    );
    // At another point of the stream of writes each time.
    await until(() => acknowledged > round * 6);
    await server.stop('SIGKILL');
    await Promise.all(writes);
    written += acknowledged;
    expect(isWhole(await readFile(path, 'utf8'))).toBe(true);
  }
  expect(written).toBeGreaterThan(0);

  const server = await startServerProcess({ DOT_MI_ROOT: root, LOG_LEVEL: 'silent' });
  expect(await put(server.url, 9999)).toBe(true);
  expect((await readdir(join(root, 'agents/scout'))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('temp files of a crash are also removed some seconds after the next start', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({ 'agents/scout/.SYSTEM.md.0123abcd.tmp': 'half' });
  await serve(root);
  await until(async () => !(await readdir(join(root, 'agents/scout'))).some((name) => name.endsWith('.tmp')));
});

test('an agent that is deleted while it is written to doesn’t reappear', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const { call } = await serveOperator(root);
  for (let round = 0; round < 10; round++) {
    const writes = Array.from({ length: 10 }, (_, i) =>
      call('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: version(i) }),
    );
    const deletion = await call('DELETE', '/api/agents/scout', { confirm: 'scout' });
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 404)).toBe(true);
    expect(await readdir(join(root, 'agents'))).toEqual([]);
    const trashed = join(root, '.trash', deletion.body.entry, 'agent');
    expect((await readdir(trashed)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await call('POST', `/api/trash/${deletion.body.entry}/restore`);
  }
  await rm(join(root, '.trash'), { recursive: true, force: true });
});

test('a file is flushed before it replaces the old one, and its directory afterwards', async () => {
  const path = join(await makeTempDirectory(), 'file');
  await writeFile(path, 'old');
  const seen: string[] = [];
  await beforeEachFlush(path, async () => void seen.push(await readFile(path, 'utf8')));
  await writeAtomically(path, Buffer.from('new'));
  expect(seen).toEqual(['old', 'new']);
});

test('an edit by another program while a save is being written is a conflict', async () => {
  const root = await makeRoot();
  const { call } = await serve(root);
  const file = '/api/agents/scout/file';
  const { body } = await call('GET', `${file}?path=SYSTEM.md`);
  const path = join(root, 'agents/scout/SYSTEM.md');
  await beforeEachFlush(path, () => writeFile(path, 'theirs'));
  const save = await call('PUT', file, { path: 'SYSTEM.md', content: 'mine' }, { 'If-Match': body.etag });
  expect([save.status, save.body.code]).toEqual([412, 'file_changed']);
  expect(await readFile(path, 'utf8')).toBe('theirs');
});
