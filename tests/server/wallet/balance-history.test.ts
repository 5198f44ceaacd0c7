import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { earn, pay, startCopy } from '../../support/wallet-copies.ts';
import type { TimedWallet } from '../../support/wallet-recovery.ts';

const DAY_MS = 24 * 3_600_000;

interface Point {
  at: string;
  balance: number;
}

const pointsOf = async (wallet: TimedWallet, days: number): Promise<Point[]> =>
  (await wallet.asOperator('GET', `/api/wallet/balance/history?days=${days}`)).body.points;

test('the balance of past days follows from the completed operations, and a send counts on its own day even if it is redeemed later', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = await startCopy(mint);
  // Noon, so that a change of the clocks moves nothing to another day.
  const noon = new Date(wallet.clock.now());
  noon.setHours(36, 0, 0, 0);
  wallet.clock.pass(noon.getTime() - wallet.clock.now());
  expect((await pointsOf(wallet, 2)).map(({ balance }) => balance)).toEqual([0, 0, 0]);

  await earn(wallet, mint, 101);
  wallet.clock.pass(DAY_MS);
  const token = await pay(wallet, 40);
  const afterSend = await wallet.balance();
  wallet.clock.pass(DAY_MS);
  mint.spend([token]);
  // Asks the mint, and updates the send.
  await wallet.asOperator('GET', '/api/wallet/history');
  await earn(wallet, mint, 11);

  const points = await pointsOf(wallet, 3);
  expect(points.map(({ balance }) => balance)).toEqual([0, 100, afterSend, await wallet.balance()]);
  expect(new Date(points.at(-1)?.at ?? 0).getTime()).toBe(wallet.clock.now());
  for (const { at } of points.slice(0, -1)) {
    const end = new Date(at);
    expect([end.getHours(), end.getMinutes(), end.getSeconds()]).toEqual([0, 0, 0]);
  }
});

test('three right words make a wallet backed up, also after a restart', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const balance = async (of: TimedWallet) => (await of.call('GET', '/api/wallet/balance')).body;
  const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
  const words: string[] = mnemonic.split(' ');
  const confirm = (asked: readonly (readonly [position: number, word: string | undefined])[]) =>
    wallet.asOperator('POST', '/api/wallet/seed/confirm', {
      words: asked.map(([position, word]) => ({ position, word })),
    });
  expect(await balance(wallet)).not.toHaveProperty('backedUpAt');
  for (const [asked, status] of [
    [
      [
        [1, words[0]],
        [2, words[1]],
      ],
      400,
    ],
    [
      [
        [1, words[0]],
        [1, words[0]],
        [1, words[0]],
      ],
      400,
    ],
    [
      [
        [1, words[0]],
        [2, words[1]],
        [3, 'hello'],
      ],
      422,
    ],
    [
      [
        [1, words[0]],
        [2, words[1]],
        [24, words[2]],
      ],
      422,
    ],
  ] as const) {
    expect((await confirm(asked as Parameters<typeof confirm>[0])).status).toBe(status);
  }
  expect(await balance(wallet)).not.toHaveProperty('backedUpAt');
  const { status, body } = await confirm([
    [12, words[11]],
    [3, ` ${words[2]?.toUpperCase()} `],
    [7, words[6]],
  ]);
  expect([status, body]).toEqual([200, { backedUpAt: new Date(wallet.clock.now()).toISOString() }]);
  expect((await balance(wallet)).backedUpAt).toBe(body.backedUpAt);
  await wallet.close();

  const again = await startCopy(mint, { directory: wallet.directory });
  expect((await balance(again)).backedUpAt).toBe(body.backedUpAt);
});
