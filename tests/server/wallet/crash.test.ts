import { expect, test } from 'vitest';
import { makeTempDirectory } from '../../support/temp.ts';
import { torture } from '../../torture/harness.ts';

const KILLS = 100;
const TIMEOUT_MS = 8 * 60_000;

test(
  `${KILLS} kills of the server, the mint killed too and answers lost: not a sat, no promise, and no secret told`,
  async () => {
    const seed = Date.now() % 1_000_000;
    const report = await torture({ kills: KILLS, seed, directory: await makeTempDirectory() });
    // All of the report, so that a failure shows what came of it and the seed that makes it again.
    expect(report.problems, JSON.stringify(report, null, 2)).toEqual([]);
    expect(report.sums.difference).toBe(0);
    expect(report.sumsAfterTakingOut.difference).toBe(0);
    expect(report.kills).toBeGreaterThanOrEqual(KILLS);
    // And there was what it is about. Each step has tests of its own (recovery-steps.test.ts).
    const { random = 0, ...steps } = report.killsBy;
    expect([random > 0, Object.keys(steps).length >= 4, report.mintKills > 0, report.losses > 0]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  },
  TIMEOUT_MS,
);
