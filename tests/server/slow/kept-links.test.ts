import { chmod, lstat, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FoundLinks, readLinks, takeLinksSignature } from '../../../src/server/links/agent-links.ts';
import { createRoot } from '../../../src/server/platform/root.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { untilSettled } from '../../support/settled.ts';

/** When the links of an agent can be kept, and that the next request sees each change. See docs/adr/0050. */

const LATER_MS = 60_000;

const setUp = async () => {
  const path = await makeRoot();
  const folder = join(path, 'agents/kept/skills');
  await mkdir(folder, { recursive: true });
  await mkdir(join(path, 'shared/skills/one'), { recursive: true });
  await mkdir(join(path, 'shared/skills/two'));
  await symlink('../../../shared/skills/one', join(folder, 'one'));
  const root = createRoot(path);
  const look = (nowMs = Date.now() + LATER_MS): FoundLinks =>
    readLinks(root, { linksOf: 'kept', kind: 'skills', platform: process.platform }, nowMs);
  const signature = () => takeLinksSignature(root, 'kept', 'skills')?.text;
  return { path, folder, look, signature };
};

test('keeps links to shared entries, entries of the agent itself, and broken links with our text', async () => {
  const { folder, look, signature } = await setUp();
  await writeFile(join(folder, 'own.md'), 'x');
  await symlink('../../../shared/skills/missing', join(folder, 'missing'));
  const found = look();
  expect(found.entries.map(({ name, broken }) => [name, broken])).toEqual([
    ['missing', true],
    ['one', false],
    ['own.md', false],
  ]);
  expect(found.signature?.text).toBe(signature());
});

test('keeps nothing whose answer can change without one of the two folders', async () => {
  const { path, folder, look } = await setUp();
  expect(look(Date.now()).signature).toBeUndefined();

  await symlink('elsewhere', join(folder, 'foreign'));
  expect(look().signature).toBeUndefined();
  await rm(join(folder, 'foreign'));
  expect(look().signature).toBeDefined();

  await symlink('../../elsewhere', join(path, 'shared/skills/linked'));
  await symlink('../../../shared/skills/linked', join(folder, 'linked'));
  expect(look().signature).toBeUndefined();
  await rm(join(folder, 'linked'));

  await rename(join(path, 'shared/skills'), join(path, 'elsewhere'));
  await symlink('../elsewhere', join(path, 'shared/skills'));
  expect(look().signature).toBeUndefined();
});

test('the signature changes with every entry and every directory above', async () => {
  const { path, folder, signature } = await setUp();
  const changes: readonly (() => Promise<unknown>)[] = [
    () => symlink('../../../shared/skills/two', join(folder, 'two')),
    async () => {
      await rm(join(folder, 'one'));
      await symlink('../../../shared/skills/two', join(folder, 'one'));
    },
    () => rename(join(path, 'shared/skills/two'), join(path, 'shared/skills/three')),
    () => chmod(join(path, 'shared/skills'), 0o700),
    () => chmod(join(path, 'shared'), 0o700),
    () => chmod(join(path, 'agents/kept'), 0o700),
    async () => {
      const { atime, mtime } = await lstat(folder);
      await rename(folder, join(path, 'aside'));
      await mkdir(folder);
      await utimes(folder, atime, mtime);
    },
  ];
  for (const change of changes) {
    const before = signature();
    expect(before).toBeDefined();
    await change();
    expect(signature()).not.toBe(before);
  }
  await rm(folder, { recursive: true });
  expect(signature()).toBeUndefined();
});

test('the next request sees each change of links and files that were answered from memory', async () => {
  const { path, folder } = await setUp();
  const file = join(path, 'agents/kept/SYSTEM.md');
  await writeFile(file, 'first');
  const { call } = await serve(path);
  const links = async () => {
    const { status, body } = await call('GET', '/api/agents/kept/links/skills');
    return status === 200
      ? body.entries.map(
          (entry: { name: string; broken: boolean }) => `${entry.name}${entry.broken ? '!' : ''}`,
        )
      : body.code;
  };
  const text = async () => (await call('GET', '/api/agents/kept/file?path=SYSTEM.md')).body.content;
  const size = async () => (await call('GET', '/api/agents/kept')).body.files?.['SYSTEM.md'].size;
  for (const path of [file, folder]) await untilSettled(path);
  for (let i = 0; i < 3; i++)
    expect([await links(), await text(), await size()]).toEqual([['one'], 'first', 5]);

  await symlink('../../../shared/skills/two', join(folder, 'two'));
  expect(await links()).toEqual(['one', 'two']);
  await rm(join(path, 'shared/skills/one'), { recursive: true });
  expect(await links()).toEqual(['one!', 'two']);
  await writeFile(file, 'again');
  expect(await text()).toBe('again');
  await writeFile(`${file}.new`, 'third one');
  await rename(`${file}.new`, file);
  expect([await size(), await text()]).toEqual([9, 'third one']);
  await rename(join(path, 'agents/kept'), join(path, 'moved'));
  await symlink('../moved', join(path, 'agents/kept'));
  expect([await links(), await text(), await size()]).toEqual(['agent_not_found', undefined, undefined]);
});
