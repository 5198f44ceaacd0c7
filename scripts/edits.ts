// `npm run edits [-- EDITS [SEED]]`: another process edits a root at random, 10,000 times, and the very next request for
// each list is compared with the disk. `npm test` has a short form of it.
import { spawnSync } from 'node:child_process';

const [edits = '10000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
process.stdout.write(`${edits} edits with seed ${seed}\n`);
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project=unit', 'tests/server/next-request.test.ts'],
  { stdio: 'inherit', env: { ...process.env, EDITS: edits, EDITS_SEED: seed } },
);
process.exit(status ?? 1);
