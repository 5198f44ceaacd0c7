// `npm run torture -- --kills 2000 [--seed 1] [--life-ms 3000] [--pending-seconds 300]`: kills the server again and again and adds up what is left.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { HELP_LINE, readCommandLine } from '../../src/server/command-line.ts';
import { torture } from './harness.ts';

const USAGE = `Kills the server and the mint again and again, then checks the totals.

Usage: npm run torture -- [--kills COUNT] [--seed NUMBER] [--life-ms MS] [--pending-seconds SECONDS]

${HELP_LINE}`;

const { values } = readCommandLine(USAGE, {
  kills: { type: 'string', default: '2000' },
  seed: { type: 'string' },
  'life-ms': { type: 'string' },
  'pending-seconds': { type: 'string' },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
const say = (line: string) => process.stdout.write(`${line}\n`);

const directory = mkdtempSync(join(tmpdir(), 'dot-mi-torture-'));
say(`seed ${seed}, data in ${directory}`);
let isWell = false;
try {
  const report = await torture({
    kills: Number(values.kills),
    seed,
    directory,
    lifeMs: numberOf(values['life-ms']),
    pendingSeconds: numberOf(values['pending-seconds']),
    onProgress: say,
  });
  isWell = report.problems.length === 0;
  say(JSON.stringify(report, null, 2));
} catch (error) {
  say(`the run itself failed: ${inspect(error)}`);
}
if (isWell) rmSync(directory, { recursive: true, force: true });
say(isWell ? 'difference 0, every promise kept' : `FAILED; again with --seed ${seed}; the data are kept`);
process.exit(isWell ? 0 : 1);
