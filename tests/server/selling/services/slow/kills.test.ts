import { expect, test } from 'vitest';
import { LONG_TEST_MS } from '../../../../support/patience.ts';
import { makeTempDirectory } from '../../../../support/temp.ts';
import { tortureSales } from '../../../../torture/sales.ts';

/** `npm run torture:sales` makes a thousand, with any seed. */
const REQUESTS = 20;

// It finds the processes of services with ps.
test.skipIf(process.platform === 'win32')(
  `${REQUESTS} paid requests while the server, the service, pi, the mint and customers die: each customer has work or money, and no sat is missing`,
  { timeout: LONG_TEST_MS },
  async () => {
    const report = await tortureSales({ requests: REQUESTS, seed: 2, directory: await makeTempDirectory() });
    // All of the report, so that a failure shows what came of it.
    expect(report.problems, JSON.stringify(report, null, 2)).toEqual([]);
    expect(report.sums.difference).toBe(0);
    expect(report.kills.server + report.kills.service + report.kills.pi + report.kills.mint).toBeGreaterThan(
      0,
    );
  },
);
