import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';

// A hostile user of a shared root: `node swap-links.ts ROOT OUTSIDE` replaces directories of the root with
// links to OUTSIDE and puts them back, thousands of times a second, until it is killed.
//
// With more arguments, it swaps only these paths of the root. A "*" is every name. Each link is to the same
// path below OUTSIDE, which has whatever the server looks for. It prints a line at the start. With one argument
// that begins with "@", it reads the paths from that file, a line each, and prints a line whenever they changed.

const [root = '', outside = '', ...chosen] = process.argv.slice(2);
const PUT_ASIDE = '.real';
const LOST = '.lost';
/** How long a link stays. */
const LINK_MS = 0.3;
/** The longest pause at the start. It grows, so that a slow computer gets requests through too. */
const LONG_PAUSE_MS = 40;
const PAUSE_GROWTH = 0.02;
const MOST_PAUSE_MS = 400;
const never = new Int32Array(new SharedArrayBuffer(4));

const attempt = (act: () => void) => {
  try {
    act();
  } catch {
    // The server was faster this time.
  }
};

// Busy waiting would take the processor from the server that it attacks.
const wait = (ms: number) => void Atomics.wait(never, 0, 0, ms);

const swap = (path: string, target = outside, linkMs = LINK_MS) => {
  attempt(() => renameSync(path, `${path}${PUT_ASIDE}`));
  attempt(() => symlinkSync(target, path));
  wait(linkMs);
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

/** The paths that a pattern names, and what a link in their place is to. */
const expand = (pattern: string): { path: string; target: string }[] => {
  let paths = [''];
  for (const name of pattern.split('/')) {
    const namesIn = (path: string) =>
      name === '*'
        ? listOf(join(root, path)).filter(
            (entry) => ![PUT_ASIDE, LOST].some((ending) => entry.endsWith(ending)),
          )
        : [name];
    paths = paths.flatMap((path) => namesIn(path).map((entry) => join(path, entry)));
  }
  const target = join(outside, pattern);
  return paths.map((path) => ({ path: join(root, path), target }));
};

/** The server may have made a new directory while the real one was aside. */
const dropNew = (path: string, round: number) => {
  if (!existsSync(`${path}${PUT_ASIDE}`)) return;
  attempt(() => renameSync(path, `${path}.${round}${LOST}`));
  attempt(() => renameSync(`${path}${PUT_ASIDE}`, path));
};

if (chosen.length > 0) {
  const list = chosen[0]?.startsWith('@') ? chosen[0].slice(1) : undefined;
  let paths = chosen;
  let listed: string | undefined;
  let startedAtMs = performance.now();
  if (list === undefined) process.stdout.write('attacking\n');
  for (let round = 0; ; round++) {
    const text = list === undefined ? undefined : readFileSync(list, 'utf8');
    if (text !== undefined && text !== listed) {
      listed = text;
      paths = text.split('\n').filter((path) => path !== '');
      startedAtMs = performance.now();
      process.stdout.write('attacking\n');
    }
    if (paths.length === 0) wait(LINK_MS);
    for (const { path, target } of paths.flatMap(expand)) {
      swap(path, target, Math.random());
      dropNew(path, round);
      // Now and then a request must get through, or the server does nothing that could go wrong.
      const longPauseMs = LONG_PAUSE_MS + (performance.now() - startedAtMs) * PAUSE_GROWTH;
      wait(Math.random() * (Math.random() < 0.1 ? Math.min(longPauseMs, MOST_PAUSE_MS) : 1));
    }
  }
}

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
