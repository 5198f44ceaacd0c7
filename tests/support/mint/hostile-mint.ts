import { onTestFinished } from 'vitest';
import {
  type Claim,
  type ClaimingMint,
  type PassingServer,
  passTo,
  serveAnswers,
  startClaimingMint,
} from './claiming-mint.ts';
import type { TestMint } from './test-mint.ts';

/** Ends a server with the test. */
const untilTestEnds = <T extends PassingServer>(server: T): T => {
  onTestFinished(server.close);
  return server;
};

/** Another address of a mint, which passes on every request. */
export const otherAddress = async (mint: TestMint): Promise<{ url: string }> =>
  untilTestEnds(await serveAnswers((method, path, body) => passTo(mint, method, path, body)));

/** Starts a {@link ClaimingMint} for a test. */
export const hostileMint = async (own: TestMint, victim: TestMint, claim?: Claim): Promise<ClaimingMint> =>
  untilTestEnds(await startClaimingMint(own, victim, claim));
