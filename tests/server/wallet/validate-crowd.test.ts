import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { serveWallet } from '../../support/wallet.ts';

/** Returns a token whose last proof has another secret, so that it's new, and takes as long to check. */
const variantOf = (token: string): string => {
  const text = Buffer.from(token.slice('cashuB'.length), 'base64url').toString('latin1');
  const secrets = [...text.matchAll(/[0-9a-f]{64}/g)];
  const last = secrets.at(-1);
  const forged =
    text.slice(0, last?.index) + randomBytes(32).toString('hex') + text.slice((last?.index ?? 0) + 64);
  return `cashuB${Buffer.from(forged, 'latin1').toString('base64url')}`;
};

test('tokens with many proofs of others delay the operator’s by few of them', async () => {
  const mint = await testMint();
  const { call, asOperator } = await serveWallet(mint.url);
  const token = mint.issue(100, { proofCount: 90 });
  await asOperator('POST', '/api/wallet/validate', { token: mint.issue(1) });
  let done = 0;
  const crowd = Array.from({ length: 16 }, async () => {
    const { status } = await call('POST', '/api/wallet/validate', { token: variantOf(token) });
    done += 1;
    return status;
  });
  const { status } = await asOperator('POST', '/api/wallet/validate', { token });
  expect(status).toBe(200);
  expect(done).toBeLessThan(10);
  expect(await Promise.all(crowd)).toEqual(crowd.map(() => 200));
});
