import { describe, expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import {
  expectNothingLost,
  serveTimedWallet,
  settle,
  sums,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';

/** A mint that answers with something that no honest mint sends. */

describe('a mint that answers a swap with HTTP 101', () => {
  test.each(['before', 'after'] as const)(
    '%s it carried it out: the receive is answered, and no sat is lost',
    async (when) => {
      const mint = await testMint();
      const wallet = await serveTimedWallet(mint);
      const token = mint.issue(100, { withoutDleq: true });
      mint.fail('/v1/swap', { kind: 'upgrade', when, times: 1 });
      const { status, body } = await whileTimePasses(wallet, wallet.receive(token));
      expect([status, body.amount]).toEqual([200, 100]);
      await settle(wallet, 500);
      expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
      await expectNothingLost(wallet, mint, [token]);
    },
  );
});
