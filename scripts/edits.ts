// `npm run edits [-- EDITS [SEED]]`: another process edits a root at random, 10,000 times, and the very next request for
// each list is compared with the disk. `npm test` has a short form of it.
import { spawnSync } from 'node:child_process';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';

const USAGE = `Edits a root at random, and looks for each edit in the next answers.

Usage: npm run edits -- [EDITS [SEED]]

${HELP_LINE}`;

const { positionals } = readCommandLine(USAGE, {}, { positionals: /^\d+$/ });
const [edits = '10000', seed = String(Date.now() % 1_000_000)] = positionals;
process.stdout.write(`${edits} edits with seed ${seed}\n`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project=unit', 'tests/server/next-request.test.ts'],
  { stdio: 'inherit', env: { ...process.env, EDITS: edits, EDITS_SEED: seed } },
);
process.exit(status ?? 1);
