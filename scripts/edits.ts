// `npm run edits [-- EDITS [SEED]]`: another process edits a root at random, 10,000 times, and the very next request for
// each list is compared with the disk. `--changes`: 1,000 random change sets in a root of 2,000 agents, with another
// process's edits and kills in between, all of which must be in the history. `npm test` and the slow tests have short forms.
import { spawnSync } from 'node:child_process';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';

const USAGE = `Edits a root at random, and looks for each edit in the next answers.

Usage: npm run edits -- [EDITS [SEED]]
       npm run edits -- --changes [SETS [SEED [AGENTS]]]

  --changes   make random change sets, kill dot-mi in between, and undo all of it

${HELP_LINE}`;

const { values, positionals } = readCommandLine(
  USAGE,
  { changes: { type: 'boolean' } },
  { positionals: /^\d+$/ },
);
const isOfChanges = values.changes === true;
const [count = isOfChanges ? '1000' : '10000', seed = String(Date.now() % 1_000_000), agents = '2000'] =
  positionals;
process.stdout.write(`${count} ${isOfChanges ? 'change sets' : 'edits'} with seed ${seed}\n`);
const [project, test] = isOfChanges
  ? ['slow', 'tests/server/slow/change-kills.test.ts']
  : ['unit', 'tests/server/next-request.test.ts'];
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', `--project=${project}`, test, '--testTimeout=3600000'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(isOfChanges
        ? { CHANGE_SETS: count, CHANGE_SEED: seed, CHANGE_AGENTS: agents }
        : { EDITS: count, EDITS_SEED: seed }),
    },
  },
);
process.exit(status ?? 1);
