import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { earn, pay } from '../../support/wallet-copies.ts';
import { serveTimedWallet } from '../../support/wallet-recovery.ts';

/** A mint that names the length of the longest list in a request (NUT-06). */

const MOST = 30;

const LISTS = ['/v1/checkstate', '/v1/restore', '/v1/swap'];

test('no request has a longer list than the mint names', async () => {
  const mint = await testMint({
    info: { max_array_length: MOST },
    limits: { maxInputs: MOST, maxOutputs: MOST },
  });
  const wallet = await serveTimedWallet(mint);
  for (let count = 0; count < 5; count++)
    await wallet.receive(mint.issue(30, { proofCount: 25, withoutDleq: true }));
  await earn(wallet, mint, 1_000);
  await wallet.close();

  const again = await serveTimedWallet(mint, { directory: wallet.directory });
  await again.asOperator('POST', '/api/wallet/check', {});
  await again.asOperator('POST', '/api/wallet/rescan', {});
  expect(mint.unspent([await pay(again, 1_100)])).toBe(1_100);
  const lengths = LISTS.flatMap((path) => mint.requests(path)).flatMap(({ body }) =>
    Object.values(body as Record<string, unknown[]>).map((list) => list.length),
  );
  expect(Math.max(...lengths)).toBeGreaterThan(10);
  expect(lengths.filter((length) => length > MOST)).toEqual([]);

  // The limit is known before a token is sent to the mint.
  const { status, body } = await again.receive(mint.issue(40, { proofCount: 40, withoutDleq: true }));
  expect([status, body.code, body.limit]).toEqual([422, 'token_too_large', MOST]);
});
