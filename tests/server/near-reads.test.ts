import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLinks } from '../../src/server/links/agent-links.ts';
import { OPERATOR_READER } from '../../src/server/platform/caller.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { readAgentFile, readFileInfos } from '../../src/server/root-model/agent-file.ts';
import { etagOf } from '../support/etag.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

/** What the main thread reads itself where the disk is near, and the disk thread elsewhere. See docs/adr/0050. */

const setUp = async () => {
  const path = await makeRoot({ 'agents/kept/SYSTEM.md': 'first' });
  const agent = join(path, 'agents/kept');
  const folder = join(agent, 'skills');
  await mkdir(folder);
  await mkdir(join(path, 'shared/skills/one'), { recursive: true });
  await mkdir(join(path, 'shared/skills/two'));
  await symlink('../../../shared/skills/one', join(folder, 'one'));
  return { path, agent, folder, root: createRoot(path) };
};

test('a file is never older than the request, even if its times and size stay the same', async () => {
  const { agent, root } = await setUp();
  for (let i = 0; i < 20; i++) {
    await writeFile(join(agent, 'SYSTEM.md'), `prompt ${i % 10}`);
    await utimes(join(agent, 'SYSTEM.md'), 1_000, 1_000);
    const near = readAgentFile({ root, etagOf }, 'kept', 'SYSTEM.md', undefined);
    expect(near).toMatchObject({ kind: 'text', file: { content: `prompt ${i % 10}` } });
    expect(readAgentFile({ root, etagOf }, 'kept', 'SYSTEM.md', OPERATOR_READER)).toEqual(near);
    expect(readFileInfos({ root, etagOf }, 'kept', undefined)).toMatchObject({ 'SYSTEM.md': near?.info });
  }
});

test('a file that is a link is left to the thread, which follows it inside the root', async () => {
  const { path, agent, root } = await setUp();
  await writeFile(join(path, 'elsewhere.md'), 'linked');
  await symlink('../../elsewhere.md', join(agent, 'AGENT.md'));
  expect(readAgentFile({ root, etagOf }, 'kept', 'AGENT.md', undefined)).toBeUndefined();
  expect(readFileInfos({ root, etagOf }, 'kept', undefined)).toBeUndefined();
  expect(readAgentFile({ root, etagOf }, 'kept', 'AGENT.md', OPERATOR_READER)).toMatchObject({
    file: { content: 'linked' },
  });
});

test('near and in the thread, links are the same, and whatever has to be followed is left to the thread', async () => {
  const { path, agent, folder, root } = await setUp();
  const question = { linksOf: 'kept', kind: 'skills', platform: process.platform } as const;
  const near = () => readLinks(root, question, undefined);
  const far = () => readLinks(root, question, () => undefined);
  const isSame = () => expect(near()).toEqual(far());
  isSame();

  await writeFile(join(folder, 'own.md'), 'x');
  await symlink('../../../shared/skills/missing', join(folder, 'missing'));
  isSame();
  expect(near()?.map(({ name, broken, linksToShared }) => [name, broken, linksToShared])).toEqual([
    ['missing', true, false],
    ['one', false, true],
    ['own.md', false, false],
  ]);

  const followed: readonly [string, () => Promise<void>, () => Promise<void>][] = [
    [
      'a link with another text',
      () => symlink('elsewhere', join(folder, 'foreign')),
      () => rm(join(folder, 'foreign')),
    ],
    [
      'a shared entry that is a link',
      async () => {
        await symlink('../../elsewhere', join(path, 'shared/skills/linked'));
        await symlink('../../../shared/skills/linked', join(folder, 'linked'));
      },
      () => rm(join(folder, 'linked')),
    ],
    [
      'a settings.json, which may switch entries off',
      () => writeFile(join(agent, 'settings.json'), '{"skills":["!one"]}'),
      () => rm(join(agent, 'settings.json')),
    ],
    [
      'a folder that is a link',
      async () => {
        await rename(folder, join(path, 'moved'));
        await symlink('../../moved', folder);
      },
      async () => {
        await rm(folder);
        await rename(join(path, 'moved'), folder);
      },
    ],
  ];
  for (const [what, make, undo] of followed) {
    await make();
    expect([what, near()]).toEqual([what, undefined]);
    expect(far()?.map(({ name }) => name)).toEqual(expect.arrayContaining(['missing', 'one', 'own.md']));
    await undo();
    isSame();
  }
  await rm(folder, { recursive: true });
  expect(near()).toEqual([]);
  isSame();
});

test('the next request sees each change of links and files', async () => {
  const { path, agent, folder } = await setUp();
  const file = join(agent, 'SYSTEM.md');
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
  await rename(agent, join(path, 'moved'));
  await symlink('../moved', agent);
  expect([await links(), await text(), await size()]).toEqual(['agent_not_found', undefined, undefined]);
});
