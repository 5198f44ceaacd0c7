import { describe, expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import { serveWallet } from '../../../support/wallet.ts';
import { withStore } from '../../../support/wallet-plant.ts';
import {
  expectNothingLost,
  serveTimedWallet,
  settle,
  sums,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';

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

test('a mint that is slow to send the keys of 60 keysets is asked for 19 of them, all at once', async () => {
  const unverifiable = Array.from({ length: 60 }, () => ({ unverifiable: true }));
  const mint = await testMint({ keysets: [{}, ...unverifiable] });
  const [good, ...bad] = mint.keysets();
  for (const { id } of bad) {
    mint.setKeyset(id, { keysServed: false });
    mint.fail(`/v1/keys/${id}`, { kind: 'hang' });
  }
  const wallet = await serveWallet(mint.url, { mintTimeoutMs: 20_000 });
  const receiving = wallet.receive(mint.issue(21, { keysetId: good?.id ?? '' }));
  await until(() => mint.hanging() === 19);
  mint.clearFaults();
  expect((await receiving).body).toMatchObject({ success: true, amount: 21 });
  expect(mint.requests().filter(({ path }) => path.startsWith('/v1/keys/'))).toHaveLength(19);
});

describe('more sats than exist', () => {
  test('are refused, in one token and in all', async () => {
    const mint = await testMint({ keysets: [{ keyCount: 53 }] });
    const wallet = await serveWallet(mint.url);
    const issue = (amount: number) => mint.issue(amount, { split: [amount] });
    expect((await wallet.receive(issue(2 ** 52))).body.code).toBe('token_too_large');
    expect((await wallet.receive(issue(2 ** 50))).body).toMatchObject({ success: true });
    const second = issue(2 ** 50);
    const { status, body } = await wallet.receive(second);
    expect([status, body.code]).toEqual([422, 'token_too_large']);
    expect(mint.states(second)).toEqual(['UNSPENT']);
    await wallet.close();
    const again = await serveWallet(mint.url, { directory: wallet.directory });
    expect(await again.balance()).toBe(2 ** 50);
  });

  test('in a wallet that an earlier version wrote do not keep the server from starting', async () => {
    const mint = await testMint();
    const first = await serveWallet(mint.url);
    await first.receive(mint.issue(8));
    await first.close();
    const id = mint.keysets()[0]?.id ?? '';
    await withStore(first.directory, (store) => {
      const number = store.operations.addCompleted({ kind: 'receive', amount: 1 });
      store.proofs.add(
        number,
        ['a', 'b'].map((secret) => ({ id, amount: 2 ** 52, secret, C: '02', y: secret })),
      );
    });
    const wallet = await serveWallet(mint.url, { directory: first.directory });
    expect((await wallet.call('GET', '/api/health')).status).toBe(200);
    expect(await wallet.balance()).toBe(Number.MAX_SAFE_INTEGER);
  });
});
