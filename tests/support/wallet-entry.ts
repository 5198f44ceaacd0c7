// A server process that ends itself at a step of the wallet: `node wallet-entry.ts`. It reads its options
// (WalletProcessOptions as JSON) from the first line of standard input, prints its address as JSON, and ends
// when its standard input does.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readConfig } from '../../src/server/config.ts';
import { type Clock, systemClock } from '../../src/server/platform/clock.ts';
import { startServer } from '../../src/server/start.ts';
import type { WalletProcessOptions } from './wallet-process.ts';

/** Cuts longer waits (recovery's later ones, moving proofs off a keyset that expires) to `atMostMs`. */
const hurriedClock = (longerThanMs: number, atMostMs: number): Clock => ({
  now: systemClock.now,
  after: (ms, task) => systemClock.after(ms >= longerThanMs ? atMostMs : ms, task),
});

const run = async () => {
  const lines = createInterface({ input: process.stdin });
  lines.on('close', () => process.exit(0));
  const [line] = await once(lines, 'line');
  const {
    environment,
    mintTimeoutMs,
    requestDeadlineMs,
    decisionTimes,
    killAt,
    hurry,
    aheadMs,
  }: WalletProcessOptions = JSON.parse(line);
  // ahead.ts reads this, also in the threads that start from here on.
  if (aheadMs !== undefined) process.env.TEST_AHEAD_MS = String(aheadMs);

  let left = killAt?.occurrence ?? 0;
  const server = await startServer(readConfig(process.cwd(), { PATH: process.env.PATH, ...environment }), {
    testing: {
      ...(mintTimeoutMs === undefined ? {} : { mintTimeoutMs }),
      ...(requestDeadlineMs === undefined ? {} : { requestDeadlineMs }),
      ...(decisionTimes ? { decisionTimes } : {}),
      ...(hurry ? { clock: hurriedClock(hurry.longerThanMs, hurry.atMostMs) } : {}),
      onStep: (step) => {
        if (step !== killAt?.step) return;
        left -= 1;
        if (left > 0) return;
        process.kill(process.pid, 'SIGKILL');
        // Nothing else in this process may run while the signal is on its way.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      },
    },
  });
  process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
  process.stdout.write(`${JSON.stringify({ url: server.url, operatorToken: server.operatorToken })}\n`);
};
void run();
