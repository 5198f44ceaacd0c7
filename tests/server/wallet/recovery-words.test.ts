import { Amount, getEncodedToken } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import type { RotateOptions, TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import { readRows } from '../../support/wallet.ts';
import {
  expectNothingLost,
  runRecoveryPasses,
  send,
  serveTimedWallet,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** The backstop: words bring the sats back. And what becomes of proofs whose keyset ends. */

const wordsOf = async (wallet: TimedWallet): Promise<string> =>
  (await wallet.asOperator('GET', '/api/wallet/seed')).body.mnemonic;

const restore = (wallet: TimedWallet, mnemonic: string) =>
  wallet.asOperator('POST', '/api/wallet/restore', { mnemonic });

/** Rotates, and waits until the wallet asks for keysets that it does not know: at most once a second. */
const rotate = async (mint: TestMint, options: RotateOptions = {}) => {
  const keyset = mint.rotate(options);
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  return keyset;
};

/** The proofs in a closed wallet as tokens, one each. */
const tokensOf = async (mint: TestMint, directory: string): Promise<string[]> => {
  const rows = await readRows(directory, 'SELECT keyset_id, amount, secret, c FROM proofs');
  return rows.map(({ keyset_id: id, amount, secret, c }) =>
    getEncodedToken({
      mint: mint.url,
      unit: 'sat',
      proofs: [{ id: String(id), amount: Amount.from(Number(amount)), secret: String(secret), C: String(c) }],
    }),
  );
};

/** A wallet that received on two keysets, sent, and was closed. Each keyset costs a restore a thousand outputs. */
const usedWallet = async (mint: TestMint, second: RotateOptions = {}) => {
  const wallet = await serveTimedWallet(mint);
  const tokens: string[] = [];
  const receive = async (amount: number) => {
    const token = mint.issue(amount, { withoutDleq: true });
    tokens.push(token);
    expect((await wallet.receive(token)).status).toBe(200);
  };
  await receive(101);
  await rotate(mint, second);
  // Refused at the mint: its counters stay unused.
  await wallet.receive(mint.issue(30, { forged: true }));
  await receive(31);
  const sent: string = (await send(wallet, 40)).body.token;
  const { balance } = await sums(wallet);
  const words = await wordsOf(wallet);
  await wallet.close();
  return { directory: wallet.directory, words, balance, sent, tokens };
};

test('words restore every proof into an empty wallet: of inactive keysets too, but none that was spent or sent', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const { words, balance, sent, tokens, directory } = await usedWallet(mint, {
    version: 1,
    inputFeePpk: 100,
  });
  const proofs = (await readRows(directory, 'SELECT count(*) AS count FROM proofs'))[0]?.count;
  const wallet = await serveTimedWallet(mint);
  const own = await wordsOf(wallet);
  const { status, body } = await restore(wallet, ` ${words.toUpperCase().replaceAll(' ', '  ')}\n`);
  expect([status, body]).toEqual([
    200,
    {
      found: balance,
      amount: balance,
      proofs,
      fee: 0,
      pending: 0,
      words: 'replaced',
      skipped: [],
    },
  ]);
  expect(await sums(wallet)).toEqual({ balance, pending: 0 });
  expect(await wordsOf(wallet)).toBe(words);
  expect(own).not.toBe(words);
  const [entry] = (await wallet.asOperator('GET', '/api/wallet/history')).body.entries;
  expect(entry).toMatchObject({ kind: 'restore', state: 'completed', amount: balance, fee: 0 });
  expect(mint.unspent([sent])).toBe(40);

  // Counters go on where they were: the first swap of new outputs is taken.
  const before = mint.requests('/v1/swap').length;
  for (const amount of [63, 3]) {
    const token = mint.issue(amount, { withoutDleq: true });
    tokens.push(token);
    expect((await wallet.receive(token)).status).toBe(200);
  }
  expect(mint.requests('/v1/swap').length).toBe(before + 2);
  mint.spend([sent]);
  await expectNothingLost(wallet, mint, tokens);
});

test('a mint that goes away in the middle of a restore from words changes nothing', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { words } = await usedWallet(mint);
  const wallet = await serveTimedWallet(mint);
  const own = await wordsOf(wallet);
  mint.fail('/v1/restore', { kind: 'drop' });
  const { status, body } = await whileTimePasses(wallet, restore(wallet, words));
  expect([status, body.code]).toEqual([503, 'mint_unreachable']);
  expect(await wordsOf(wallet)).toBe(own);
  expect(await sums(wallet)).toEqual({ balance: 0, pending: 0 });
});

test('proofs that are pending at the mint during a restore are counted later, unless somebody spends them', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { directory, words, balance } = await usedWallet(mint);
  const [first = '', second = ''] = await tokensOf(mint, directory);
  const [freed, gone] = [mint.unspent([first]), mint.unspent([second])];
  mint.setPending([first, second]);
  const wallet = await serveTimedWallet(mint);
  expect((await restore(wallet, words)).body.amount).toBe(balance - freed - gone);
  await runRecoveryPasses(wallet);
  // Sats that move off an old keyset are on their way for a moment.
  await until(async () => (await sums(wallet)).balance === balance - freed - gone);
  mint.clearPending();
  mint.spend([second]);
  await until(async () => {
    wallet.clock.pass(6 * 60_000);
    return (await sums(wallet)).balance === balance - gone;
  });
  expect((await send(wallet, balance - gone - 1)).status).toBe(201);
});

test('proofs are moved off a keyset before it expires, when less than a week is left', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const tokens = [mint.issue(100, { withoutDleq: true })];
  await wallet.receive(tokens[0]);
  const nowSeconds = Math.floor(wallet.clock.now() / 1000);
  const expiring = await rotate(mint, {
    finalExpirySeconds: nowSeconds + 8 * 24 * 60 * 60,
    inputFeePpk: 100,
  });
  tokens.push(mint.issue(50, { withoutDleq: true }));
  await wallet.receive(tokens[1]);
  // Inactive keysets are left in quiet moments anyway; this one stays active.
  mint.rotate({ inputFeePpk: 100, keepOld: true });
  // More than a week before it expires nothing is done.
  wallet.clock.pass(60_001);
  await runRecoveryPasses(wallet, 2);
  // The sats of the first keyset, which is inactive, may be on their way to the new one.
  const becomes = (balance: number) =>
    until(async () => {
      // A recovery that is still running schedules the next one only when it ends.
      wallet.clock.pass(10_000);
      return (await sums(wallet)).balance === balance;
    });
  await becomes(149);

  wallet.clock.pass(2 * 24 * 60 * 60_000);
  await becomes(148);
  const { entries } = (await wallet.asOperator('GET', '/api/wallet/history')).body;
  expect(entries).toContainEqual(
    expect.objectContaining({ kind: 'swap', state: 'completed', amount: 48, fee: 1 }),
  );
  // The sats of the first keyset may be moving too, and what is pending adds up only once it ends.
  await until(async () => (await readHistory(wallet)).every(({ state }) => state !== 'pending'));
  mint.setTime(nowSeconds + 9 * 24 * 60 * 60);
  await wallet.close();
  expect(await readRows(wallet.directory, `SELECT * FROM proofs WHERE keyset_id = '${expiring.id}'`)).toEqual(
    [],
  );
  const again = await serveTimedWallet(mint, { directory: wallet.directory });
  // A move of the first keyset's sats may have begun at the end.
  await settle(again);
  await expectNothingLost(again, mint, tokens);
});
