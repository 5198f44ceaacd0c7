import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AgentAccess, createPlaceOf } from '../../src/server/changes/agent-places.ts';
import { createEngine } from '../../src/server/changes/engine.ts';
import { createJournal } from '../../src/server/changes/journal.ts';
import { createBulkLinks } from '../../src/server/links/bulk-links.ts';
import { createLinksAccess } from '../../src/server/links/change-links.ts';
import { hostLinks } from '../../src/server/platform/create-link.ts';
import { createKeyedLock, type KeyedLock } from '../../src/server/platform/keyed-lock.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const names = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `s${from + index}`);

test('a save of an agent waits for 100 links of a bulk change, not for all of them', async () => {
  const order: string[] = [];
  const inner = createKeyedLock();
  let saved: Promise<void> | undefined;
  const lock: KeyedLock = {
    isFree: inner.isFree,
    run(id, task) {
      const running = inner.run(id, () => {
        order.push('links');
        return task();
      });
      saved ??= inner.run(id, async () => {
        order.push('save');
      });
      return running;
    },
  };
  const all = names(250);
  const rootPath = await makeRoot(
    Object.fromEntries(all.map((name) => [`shared/skills/${name}/SKILL.md`, name])),
  );
  const root = createRoot(rootPath);
  const links = createLinksAccess(root, hostLinks);
  const journal = createJournal(join(await makeTempDirectory(), 'changes.sqlite'), Date, console);
  onTestFinished(journal.close);
  // Only links are changed.
  const placeOf = createPlaceOf(root, () => ({ links }) as AgentAccess);
  const bulk = createBulkLinks(
    root,
    createEngine({ journal, lock, placeOf, ready: async () => undefined, changed: () => undefined }),
  );
  const { link } = await bulk.change({ link: [{ agent: 'scout', kind: 'skills', names: all }], unlink: [] });
  await saved;
  expect(order).toEqual(['links', 'save', 'links', 'links']);
  expect(link[0]?.done).toEqual(all);
});

test('a request with too many names is refused', async () => {
  const { call } = await serve(await makeRoot({}));
  const { body: list } = await call('POST', '/api/links/bulk', {
    link: [{ agent: 'scout', kind: 'skills', names: names(1_001) }],
  });
  expect(list.error).toContain('"link.0.names" must have at most 1000 items.');
  const group = { agent: 'scout', kind: 'skills', names: names(1_000) };
  const { body: all } = await call('POST', '/api/links/bulk', {
    link: Array.from({ length: 101 }, () => group),
  });
  expect(all.error).toContain('A request can change at most 100000 links.');
});
