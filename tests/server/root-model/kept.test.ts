import { mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  contextWithoutWatch,
  createWatchedScan,
  type ScanContext,
} from '../../../src/server/root-model/coverage.ts';
import { createKept, createMemo } from '../../../src/server/root-model/kept.ts';
import { createRootWatch } from '../../../src/server/root-model/watch.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** Reads one file of each directory in a root, some of which are links. */
const readTexts = (root: string) =>
  createKept((name, record) => {
    const path = join(root, name, 'text');
    record.stat(join(root, name));
    return record.stat(path) ? `${name}: ${readFileSync(path, 'utf8')}` : undefined;
  });

test('a value stays the same object until something it was read from changes, and others are forgotten', async () => {
  const root = await makeTempDirectory();
  for (const name of ['a', 'b']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'a/text'), '1');
  const texts = readTexts(root);
  // Later, so that the times on disk count as settled.
  let nowMs = Date.now() + 60_000;
  const all = (names = ['a', 'b']) => texts.all(names, contextWithoutWatch(nowMs++));
  const first = all();
  expect(first).toEqual(['a: 1']);
  expect(all()).toBe(first);
  writeFileSync(join(root, 'b/text'), '2');
  expect(all()).toEqual(['a: 1', 'b: 2']);
  expect(all(['b'])).toEqual(['b: 2']);
});

test('a directory that is moved and replaced by a link is read again, though its files are the same', async () => {
  const root = await makeTempDirectory();
  mkdirSync(join(root, 'a/b'), { recursive: true });
  writeFileSync(join(root, 'a/b/text'), '1');
  const places = createKept((name, record) => {
    record.stat(join(root, name));
    return realpathSync.native(join(root, name));
  });
  let nowMs = Date.now() + 60_000;
  const placeNow = () => places.one('a/b/text', contextWithoutWatch(nowMs++));
  const before = placeNow();
  renameSync(join(root, 'a'), join(root, 'elsewhere'));
  symlinkSync('elsewhere', join(root, 'a'));
  const moved = placeNow();
  expect(moved).not.toBe(before);
  expect(moved).toBe(realpathSync.native(join(root, 'elsewhere/b/text')));
});

test.skipIf(process.platform !== 'linux')(
  'lists that share values share the comparison with the disk, and still see what the watch doesn’t report',
  async () => {
    const root = await makeTempDirectory();
    const outside = await makeTempDirectory();
    mkdirSync(join(root, 'inside'));
    writeFileSync(join(root, 'inside/text'), '1');
    symlinkSync(outside, join(root, 'linked'));
    writeFileSync(join(outside, 'text'), '1');
    const watch = createRootWatch(root, join(outside, 'markers'));
    if (!watch) throw new Error('this system has no trusted watch');
    onTestFinished(() => watch.close());
    const texts = readTexts(root);
    const names = ['inside', 'linked'];
    const listOf = (mark: string) => {
      const view = createMemo((all: readonly string[]) => all.map((text) => `${mark}${text}`));
      const scan = createWatchedScan((at: ScanContext) => view(texts.all(names, at)), watch, {
        lookEveryMs: 0,
      });
      return async () => scan.run(await watch.catchUp());
    };
    const lists = [listOf('-'), listOf('+')];
    for (let edit = 0; edit < 20; edit++) {
      writeFileSync(join(outside, 'text'), `edit ${edit}`);
      if (edit % 3 === 0) writeFileSync(join(root, 'inside/text'), `edit ${edit}`);
      for (const list of lists)
        expect((await list()).map((text) => text.slice(1))).toContain(`linked: edit ${edit}`);
      // The comparisons that follow the responses.
      await sleep(5);
    }
  },
);
