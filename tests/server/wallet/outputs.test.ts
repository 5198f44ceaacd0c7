import { Worker } from 'node:worker_threads';
import { splitAmount as splitByCashu } from '@cashu/cashu-ts';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { splitAmount } from '../../../src/server/wallet/operations/outputs.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { serveWallet } from '../../support/wallet.ts';

const POWERS = Array.from({ length: 40 }, (_, exponent) => 2 ** exponent);

const keysetOf = (...amounts: number[]) => ({ id: '00', amounts: amounts.toSorted((a, b) => b - a) });

test('amounts are split as cashu-ts splits them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 40 }),
      fc.subarray(POWERS.slice(1), { minLength: 30 }),
      (amount, powers) => {
        const keyset = keysetOf(1, ...powers);
        const keys = Object.fromEntries(keyset.amounts.map((part) => [part, '']));
        const expected = splitByCashu(amount, keys).map((part) => part.toNumber());
        if (expected.length <= 1_000) expect(splitAmount(keyset, amount)).toEqual(expected);
      },
    ),
  );
});

test('an amount that needs too many outputs, or that no keys can add up to, is refused at once', () => {
  expect(() => splitAmount(keysetOf(1), 2 ** 52)).toThrow('can have only 1000');
  expect(() => splitAmount(keysetOf(2, 8), 13)).toThrow('has no keys that add up to 13');
});

test("a receive crosses to the mint's thread three times", async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  expect((await wallet.receive(mint.issue(3))).status).toBe(200);
  const asked: unknown[] = [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (this: Worker, message, ...more) {
    asked.push(message.value.method);
    return post.call(this, message, ...more);
  };
  onTestFinished(() => {
    Worker.prototype.postMessage = post;
  });
  expect((await wallet.receive(mint.issue(5))).status).toBe(200);
  expect(asked).toEqual(['inspect', 'deterministicOutputs', 'swap']);
});
