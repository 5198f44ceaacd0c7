import { expect, test } from 'vitest';
import { makeTempDirectory } from '../../support/temp.ts';
import { type TortureReport, torture } from '../../torture/harness.ts';

/** Enough for each kind of event to happen. */
const KILLS = 25;
/** With another seed in each run. `npm run torture` makes thousands. */
const RANDOM_KILLS = 10;
/** Half of the usual: what a life sees in addition, the next one sees too. */
const LIFE_MS = 1500;
const TIMEOUT_MS = 8 * 60_000;

const run = async (kills: number, seed: number): Promise<TortureReport> => {
  const report = await torture({ kills, seed, directory: await makeTempDirectory(), lifeMs: LIFE_MS });
  // All of the report, so that a failure shows what came of it and the seed that makes it again.
  expect(report.problems, JSON.stringify(report, null, 2)).toEqual([]);
  expect(report.sums.difference).toBe(0);
  expect(report.sumsAfterTakingOut.difference).toBe(0);
  expect(report.kills).toBeGreaterThanOrEqual(kills);
  return report;
};

test(
  `${KILLS} kills, with rollbacks, second wallets, rotations, expiries and rate limits: no sat lost, no promise broken, no secret revealed`,
  async () => {
    const report = await run(KILLS, 1);
    // And there was what it is about. Each step has tests of its own (recovery-steps.test.ts).
    const { random = 0, ...steps } = report.killsBy;
    expect(random).toBeGreaterThan(0);
    expect(Object.keys(steps).length).toBeGreaterThanOrEqual(2);
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
      'releases',
      'rescans',
    ] as const) {
      expect(report[event], event).toBeGreaterThan(0);
    }
  },
  TIMEOUT_MS,
);

test(
  `${RANDOM_KILLS} kills and events in another order each time: no sat lost, no promise broken, no secret revealed`,
  async () => void (await run(RANDOM_KILLS, Date.now() % 1_000_000)),
  TIMEOUT_MS,
);
