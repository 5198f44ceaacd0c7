import { chmodSync, readdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

// A hostile user of a shared root: `node swap-links.ts ROOT OUTSIDE` replaces directories of the root with
// links to OUTSIDE and puts them back, thousands of times a second, until it is killed.

const [root = '', outside = ''] = process.argv.slice(2);
const PUT_ASIDE = '.real';
/** How long a link stays. */
const LINK_MS = 0.3;
const never = new Int32Array(new SharedArrayBuffer(4));

const attempt = (act: () => void) => {
  try {
    act();
  } catch {
    // The server was faster this time.
  }
};

const swap = (path: string) => {
  attempt(() => renameSync(path, `${path}${PUT_ASIDE}`));
  attempt(() => symlinkSync(outside, path));
  // Busy waiting would take the processor from the server that it attacks.
  Atomics.wait(never, 0, 0, LINK_MS);
  attempt(() => {
    // Never remove a directory of ours that the server moved here.
    readlinkSync(path);
    unlinkSync(path);
  });
  attempt(() => renameSync(`${path}${PUT_ASIDE}`, path));
};

const listOf = (path: string): string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

const agents = join(root, 'agents');
const trash = join(root, '.trash');

// From inside, an agent can still be changed after it was moved to the trash.
for (let round = 0; ; round++) {
  attempt(() => process.chdir(join(agents, 'scout')));
  for (const name of listOf(agents)) {
    attempt(() => chmodSync(join(agents, name, 'notes'), 0o777));
    swap(join(agents, name, 'notes'));
    swap(join(agents, name, 'notes', 'deep'));
  }
  swap('notes');
  for (const name of listOf(trash).filter((entry) => entry.includes('@'))) swap(join(trash, name));
  if (round % 4 === 0) swap(join(agents, 'scout'));
  if (round % 8 === 0) swap(agents);
  if (round % 8 === 4) swap(trash);
}
