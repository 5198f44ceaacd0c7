import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepLog } from '../../support/kept-log.ts';
import { LONG_TEST_MS } from '../../support/patience.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { NAMED_STEPS, torture } from '../../torture/harness.ts';
import type { TortureReport } from '../../torture/report.ts';

/** Enough for each kind of event to happen. `npm run torture` makes thousands, with any seed. */
const KILLS = 25;
/** Half of the usual: what a life sees in addition, the next one sees too. */
const LIFE_MS = 1500;
/** Many lives of these runs. */
const PENDING_SECONDS = 20;
/** The proof in `npm test`, which need not see each kind of event. */
const FEW_KILLS = 3;

const kill = async (kills: number, isShort = false): Promise<TortureReport> => {
  const log = keepLog('servers');
  const directory = await makeTempDirectory();
  const options = { seed: 1, directory, lifeMs: LIFE_MS, pendingSeconds: PENDING_SECONDS, isShort };
  return torture({ kills, ...options }).finally(async () =>
    log.write(await readFile(join(directory, 'server.log'), 'utf8').catch(() => '')),
  );
};

const expectNothingLost = (report: TortureReport) => {
  // All of the report, so that a failure shows what came of it.
  expect(report.problems, JSON.stringify(report, null, 2)).toEqual([]);
  expect(report.sums.difference).toBe(0);
  expect(report.sumsAfterTakingOut.difference).toBe(0);
};

test(`${FEW_KILLS} kills while customers pay and all else fails: no sat lost, no promise broken, no secret revealed`, async () => {
  const report = await kill(FEW_KILLS, true);
  expectNothingLost(report);
  expect(report.kills).toBeGreaterThanOrEqual(FEW_KILLS);
});

test(`${KILLS} kills, with rollbacks, second wallets, a second mint, rotations, expiries, wrong clocks, rate limits, repeated requests, prepaid balances, proofs that stay pending and lies: no sat lost, no promise broken, no secret revealed`, {
  tags: 'slow',
  timeout: LONG_TEST_MS,
}, async () => {
  const report = await kill(KILLS);
  expectNothingLost(report);
  expect(report.kills).toBeGreaterThanOrEqual(KILLS);
  // And there was what it is about. Each step has tests of its own (recovery-steps.test.ts).
  const { random = 0, ...steps } = report.killsBy;
  expect(random).toBeGreaterThan(0);
  expect(Object.keys(steps).length).toBeGreaterThanOrEqual(NAMED_STEPS);
  for (const event of [
    'losses',
    'copies',
    'rollbacks',
    'secondWallets',
    'rotations',
    'expiringKeysets',
    'timeJumps',
    'rateLimits',
    'lags',
    'midwayDeaths',
    'leftPending',
    'lies',
    'liedAbout',
    'releases',
    'rescans',
    'repeats',
    'secondMints',
    'wrongClocks',
  ] as const) {
    expect(report[event], event).toBeGreaterThan(0);
  }
  for (const answer of ['open 201', 'refund 200'])
    expect(report.answers[`prepaid ${answer}`], answer).toBeGreaterThan(0);
});
