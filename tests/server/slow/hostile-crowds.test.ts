import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { READERS } from '../../support/hostile-readers.ts';
import { type AttackedServer, startAttackedServer } from '../../support/hostile-server.ts';

// Everything that reads the root meets directories of 100,000 entries: see ../hostile-files.test.ts.

/** Files of each name that a reader looks into, directories, and broken links. */
const MAKE_CROWD = `
  const fs = require('node:fs');
  const suffixes = ['', '.md', '.ts', '.json', '.jsonl'];
  for (let i = 0; i < 1e5; i++) {
    const name = 'n' + i + suffixes[i % 5];
    if (i % 10 < 8) fs.writeFileSync(name, '');
    else if (i % 10 === 8) fs.mkdirSync('n' + i);
    else fs.symlinkSync('nowhere', name);
  }
`;

let attacked: AttackedServer;
let crowd: string;
let aside: string;
beforeAll(async () => {
  attacked = await startAttackedServer();
  [crowd, aside] = ['crowd', 'aside'].map((name) => join(attacked.root, '..', name)) as [string, string];
  mkdirSync(crowd);
  // One process makes them in a second. 100,000 calls that don't block take ten.
  execFileSync(process.execPath, ['-e', MAKE_CROWD], { cwd: crowd });
});
afterAll(() => attacked.stop());

const moveAll = (names: readonly string[], from: string, to: string): void => {
  for (const name of names) renameSync(join(from, name), join(to, name));
};

for (const reader of READERS) {
  for (const place of reader.directories) {
    test(`${reader.name} responds while ${place} has 100,000 more entries`, async () => {
      const path = join(attacked.root, place);
      const names = readdirSync(path);
      renameSync(path, aside);
      moveAll(names, aside, crowd);
      renameSync(crowd, path);
      try {
        const answer = await attacked.get(reader);
        expect(answer.status, answer.text).toBe(200);
        await attacked.expectHarmless(reader, answer, '');
      } finally {
        renameSync(path, crowd);
        moveAll(names, crowd, aside);
        renameSync(aside, path);
      }
      expect((await attacked.get({ path: '/api/health' })).status).toBe(200);
    });
  }
}

test('nothing in the log is unexpected', () => {
  expect(attacked.errors()).toEqual([]);
});
