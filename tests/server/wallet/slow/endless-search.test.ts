import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import { WORDS } from '../../../support/seed.ts';
import { PATIENT, serveTimedWallet, sums } from '../../../support/wallet-recovery.ts';

/** A mint that claims to have signed every counter that it is asked about. */

const SLOW = { ...PATIENT, mintTimeoutMs: 20_000 };
const TIMEOUT_MS = 900_000;

test(
  'is searched for at most 10,000 counters beyond the last one that the wallet used',
  async () => {
    const mint = await testMint();
    const first = await serveTimedWallet(mint, SLOW);
    await first.receive(mint.issue(8, { withoutDleq: true }));
    await first.close();
    mint.fail('/v1/restore', { kind: 'signs-all', amount: 1 });
    const before = mint.requestCount('/v1/restore');
    const wallet = await serveTimedWallet(mint, { directory: first.directory, ...SLOW });
    const asked = () => mint.requestCount('/v1/restore') - before;
    await until(() => asked() >= 100);
    // The request after the search ends once its look is over.
    await wallet.receive(mint.issue(4, { withoutDleq: true }));
    const { balance } = await sums(wallet);
    expect(balance).toBeLessThanOrEqual(8 + 4 + 10_100);
    expect(asked()).toBeLessThan(110);
  },
  TIMEOUT_MS,
);

test('that claims more sats than exist is skipped, and nothing is credited', async () => {
  const mint = await testMint({ keysets: [{ keyCount: 52 }] });
  const wallet = await serveTimedWallet(mint, SLOW);
  await wallet.receive(mint.issue(8, { withoutDleq: true }));
  mint.fail('/v1/restore', { kind: 'signs-all', amount: 2 ** 51 });
  const rescanned = (await wallet.asOperator('POST', '/api/wallet/rescan', {})).body;
  expect(rescanned).toMatchObject({ amount: 0, skipped: [{ reason: expect.stringContaining('more sats') }] });
  const restored = await wallet.asOperator('POST', '/api/wallet/restore', { mnemonic: WORDS });
  expect(restored.body.code).toBe('nothing_found');
  expect(await sums(wallet)).toEqual({ balance: 8, pending: 0 });
});
