// `npm run torture:sales -- [--requests 1000] [--seed 1]`: sells an agent while everything that takes part is killed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HELP_LINE, readCommandLine } from '../../src/server/command-line.ts';
import { tortureSales } from './sales.ts';

const USAGE = `Sells an agent while the server, the service, pi, the mint and the customers are killed, then checks the totals.

Usage: npm run torture:sales -- [--requests COUNT] [--seed NUMBER]

${HELP_LINE}`;

const { values } = readCommandLine(USAGE, {
  requests: { type: 'string', default: '1000' },
  seed: { type: 'string' },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const say = (line: string) => process.stdout.write(`${line}\n`);
const directory = mkdtempSync(join(tmpdir(), 'dot-mi-sales-'));
say(`seed ${seed}, data in ${directory}`);
const report = await tortureSales({ requests: Number(values.requests), seed, directory, onProgress: say });
say(JSON.stringify(report, null, 2));
const isWell = report.problems.length === 0;
if (isWell) rmSync(directory, { recursive: true, force: true });
say(isWell ? 'difference 0, and everybody has work or money' : `FAILED; again with --seed ${seed}`);
process.exit(isWell ? 0 : 1);
