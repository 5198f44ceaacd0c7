import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { beforeEachFlush } from '../../../support/before-each-flush.ts';
import { SOLD, sell, serveShop } from '../../../support/sold-service.ts';

/** The private copies on disk. */

test('a private copy is on disk before it replaces the earlier one', async (context) => {
  if (process.platform !== 'linux') context.skip('only Linux shows which file is flushed');
  const { server } = await serveShop({
    files: {
      [`agents/${SOLD}/prompts/short.md`]: 'Be short.\n',
      [`agents/${SOLD}/skills/notes`]: { link: '../../../shared/skills/notes' },
      'shared/skills/notes/SKILL.md': '---\nname: notes\ndescription: Notes.\n---\n',
    },
  });
  expect((await sell(server, { priceSats: 5 })).status).toBe(201);
  const services = join(server.dataDirectory, 'data/services');
  const [store = ''] = readdirSync(services).filter((name) => /^[0-9a-f]+\.json$/.test(name));
  const copies = join(services, store.replace('.json', ''), SOLD);
  const copyNow = () => JSON.parse(readFileSync(join(services, store), 'utf8')).services[0].copy;
  const earlier = copyNow();

  const flushed: { path: string; isEarlierThere: boolean }[] = [];
  await beforeEachFlush(join(services, store), async (fd) => {
    const path = relative(copies, readlinkSync(`/proc/self/fd/${fd}`));
    flushed.push({ path, isEarlierThere: copyNow() === earlier && existsSync(join(copies, earlier)) });
  });
  expect((await sell(server, { priceSats: 6 })).status).toBe(201);

  const later = copyNow();
  expect(later).not.toBe(earlier);
  const before = flushed.filter(({ isEarlierThere }) => isEarlierThere).map(({ path }) => path);
  const agent = join(later, 'agents', SOLD);
  for (const name of ['SYSTEM.md', 'pi-args', 'prompts/short.md', 'prompts', 'skills', ''])
    expect(before).toContain(join(agent, name));
  for (const name of ['shared/skills/notes/SKILL.md', 'shared/skills/notes', 'shared', 'agents', ''])
    expect(before).toContain(join(later, name));
  // The directories that it is in, of which each may be new.
  expect(before).toEqual(expect.arrayContaining(['', '..', '../..']));
  expect(existsSync(join(copies, earlier))).toBe(false);
});
