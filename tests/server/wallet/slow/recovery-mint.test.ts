import { describe, expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import { readRows } from '../../../support/wallet.ts';
import {
  expectNothingLost,
  reclaim,
  send,
  serveTimedWallet,
  settle,
  sums,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';

/** Recovery over what a mint does beside answering: it rotates its keysets, and it goes away. */

const HOUR_MS = 60 * 60_000;

describe('a mint that rotates its keyset', () => {
  test('between what the wallet knows and the swap: receives, sends and reclaims continue, each once', async () => {
    const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
    const wallet = await serveTimedWallet(mint);
    const tokens = Array.from({ length: 6 }, () => mint.issue(65, { withoutDleq: true }));
    await wallet.receive(tokens[0]);
    const sent = (await send(wallet, 20)).body;
    mint.rotate({ inputFeePpk: 200 });
    const answers = await Promise.all(tokens.slice(1).map((token) => wallet.receive(token)));
    expect(answers.map(({ status, body }) => [status, body.amount])).toEqual(answers.map(() => [200, 64]));
    mint.rotate({ version: 1 });
    expect((await send(wallet, 100)).status).toBe(201);
    mint.rotate({ inputFeePpk: 100 });
    expect((await reclaim(wallet, sent.operationId)).body).toMatchObject({ amount: 19, fee: 1 });
    await expectNothingLost(wallet, mint, tokens);
  });

  test.each(['receive', 'send'])(
    'after it executed the swap of a %s but the answer was lost: the outputs are restored, not created again',
    async (kind) => {
      const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
      const wallet = await serveTimedWallet(mint);
      const tokens = [mint.issue(100, { withoutDleq: true })];
      if (kind === 'send') await wallet.receive(tokens[0]);
      mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 });
      mint.fail('/v1/checkstate', { kind: 'drop' });
      const asked = kind === 'send' ? send(wallet, 32) : wallet.receive(tokens[0]);
      expect((await whileTimePasses(wallet, asked)).body.code).toBe(
        kind === 'send' ? 'send_pending' : 'redemption_pending',
      );
      const [old] = mint.keysets();
      mint.rotate({ inputFeePpk: 100 });
      mint.clearFaults();
      // In less than the minute after which proofs are moved off the old keyset.
      await settle(wallet, 500);
      const { balance } = await sums(wallet);
      const fee = (await wallet.asOperator('GET', '/api/wallet/history?limit=1')).body.entries[0].fee;
      expect(balance).toBe(kind === 'send' ? 99 - 32 - fee : 99);
      await wallet.close();
      expect(await readRows(wallet.directory, 'SELECT DISTINCT keyset_id FROM proofs')).toEqual([
        { keyset_id: old?.id },
      ]);
      const again = await serveTimedWallet(mint, { directory: wallet.directory });
      await expectNothingLost(again, mint, tokens);
    },
  );

  test("and drops the old one: proofs that the mint no longer knows are refused and stay their owner's", async () => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    const [mine, theirs] = [mint.issue(64, { withoutDleq: true }), mint.issue(32, { withoutDleq: true })];
    await wallet.receive(mine);
    const [old] = mint.keysets();
    mint.rotate({ hideOld: true });
    const refused = await wallet.receive(theirs);
    expect(refused.status).toBe(422);
    expect(mint.unspent([theirs])).toBe(32);
    // Its own proofs are kept, and told apart, until the mint knows them again.
    await wallet.receive(mint.issue(8, { withoutDleq: true }));
    const { body } = await wallet.call('GET', '/api/wallet/balance');
    expect(body).toMatchObject({ balance: 72, pending: 0, unlisted: 64 });
    expect((await send(wallet, 20)).body.code).toBe('insufficient_funds');
    expect((await send(wallet, 8)).status).toBe(201);
    mint.setKeyset(old?.id ?? '', { listed: true });
    // An unknown keyset makes it look again.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await wallet.receive(mint.issue(1, { keysetId: mint.rotate({ keepOld: true }).id, withoutDleq: true }));
    expect((await wallet.call('GET', '/api/wallet/balance')).body.unlisted).toBeUndefined();
    expect((await wallet.receive(theirs)).status).toBe(200);
    await expectNothingLost(wallet, mint, []);
  });
});

describe('a mint that is away for an hour', () => {
  test('is asked rarely, and operations that wait for it finish soon after it is back', async () => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
    mint.fail('/v1/checkstate', { kind: 'drop' });
    const token = mint.issue(100, { withoutDleq: true });
    const { body } = await whileTimePasses(wallet, wallet.receive(token));
    expect(body.code).toBe('redemption_pending');
    mint.clearFaults();
    mint.fail('*', { kind: 'refuse' });
    const before = mint.requests().length;
    for (let passed = 0; passed < HOUR_MS; passed += 5_000) {
      wallet.clock.pass(5_000);
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
    // Recovery every five minutes, and what else the wallet does in the background every ten.
    expect(mint.requests().length - before).toBeLessThan(50);
    expect(await sums(wallet)).toEqual({ balance: 0, pending: 100 });
    mint.clearFaults();
    // The longest wait is 5 minutes, give or take a tenth.
    wallet.clock.pass(5.5 * 60_000);
    await until(async () => (await sums(wallet)).balance === 100);
    await expectNothingLost(wallet, mint, [token]);
  });

  test('leaves no operation pending when surely nothing was sent, and uses up counters at most once', async () => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    const [first, second] = [mint.issue(1, { withoutDleq: true }), mint.issue(7, { withoutDleq: true })];
    await wallet.receive(first);
    await mint.away();
    for (let tries = 0; tries < 20; tries++) {
      const { status, body } = await wallet.receive(second);
      expect([status, body.code]).toEqual([503, 'mint_unreachable']);
    }
    expect((await send(wallet, 1)).body.code).toBe('mint_unreachable');
    expect(await sums(wallet)).toEqual({ balance: 1, pending: 0 });
    await mint.back();
    expect((await wallet.receive(second)).body).toMatchObject({ success: true, amount: 7 });
    await wallet.close();
    // 1 is one output, 7 three: those of the try before it was known to be away, and those of the last.
    const [row] = await readRows(wallet.directory, 'SELECT next FROM counters');
    expect(row?.next).toBeLessThanOrEqual(1 + 3 + 3);
    const again = await serveTimedWallet(mint, { directory: wallet.directory });
    await expectNothingLost(again, mint, [first, second]);
  });

  test('is noticed as back by any request, so that waiting operations need not wait longer', async () => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    await wallet.receive(mint.issue(1, { withoutDleq: true }));
    mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
    mint.fail('/v1/checkstate', { kind: 'drop' });
    const token = mint.issue(100, { withoutDleq: true });
    expect((await whileTimePasses(wallet, wallet.receive(token))).body.code).toBe('redemption_pending');
    await mint.away();
    for (let times = 0; times < 10; times++) {
      wallet.clock.pass(6 * 60_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    mint.clearFaults();
    await mint.back();
    // Not as long as the next try is away.
    wallet.clock.pass(20_000);
    expect((await wallet.receive(mint.issue(2, { withoutDleq: true }))).status).toBe(200);
    await until(async () => (await sums(wallet)).balance === 103);
    await expectNothingLost(wallet, mint, [token]);
  });
});
