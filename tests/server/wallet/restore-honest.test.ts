import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import { WORDS } from '../../support/seed.ts';
import { signElsewhere } from '../../support/wallet-plant.ts';
import {
  expectNothingLost,
  runRecoveryPasses,
  serveTimedWallet,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** What a restore says about sats that are not in the wallet yet. */

const restore = (wallet: TimedWallet) =>
  whileTimePasses(wallet, wallet.asOperator('POST', '/api/wallet/restore', { mnemonic: WORDS }));

const wordsOf = async (wallet: TimedWallet): Promise<string> =>
  (await wallet.asOperator('GET', '/api/wallet/seed')).body.mnemonic;

const restoresOf = async (wallet: TimedWallet) =>
  (await readHistory(wallet)).filter(({ kind }) => kind === 'restore').length;

/** A mint that refuses each swap, calls its inputs spent right after that, and unspent later. */
const fickle = async (mintUrl: string) => {
  let lying = false;
  let justSwapped = false;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    if (lying && request.url === '/v1/swap') {
      justSwapped = true;
      return answer(400, { code: 11001, detail: 'spent' });
    }
    if (justSwapped && request.url === '/v1/checkstate') {
      justSwapped = false;
      return answer(200, { states: JSON.parse(text).Ys.map((Y: string) => ({ Y, state: 'SPENT' })) });
    }
    const got = await fetch(`${mintUrl}${request.url}`, {
      method: request.method ?? 'GET',
      ...(text ? { body: text } : {}),
    });
    response.writeHead(got.status).end(await got.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lie: () => {
      lying = true;
    },
  };
};

const signFor = (mint: TestMint, amounts: number[], keyset = 0) =>
  signElsewhere(mint, WORDS, [{ keysetId: mint.keysets()[keyset]?.id ?? '', counter: 0, amounts }]);

describe('a restore of other words', () => {
  test('reports sats whose swap gets no response from the mint as pending, also when it is repeated', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint();
    await signFor(mint, [64, 32, 4]);
    const wallet = await serveTimedWallet(mint);
    const own = mint.issue(8, { withoutDleq: true });
    await wallet.receive(own);
    mint.fail('/v1/swap', { kind: 'status' });
    const pending = {
      found: 100,
      amount: 0,
      pending: 100,
      proofs: 0,
      fee: 0,
      words: 'kept',
      skipped: [],
    };
    for (const _ of ['first', 'again']) {
      const { status, body } = await restore(wallet);
      expect([status, body]).toEqual([200, pending]);
    }
    mint.clearFaults();
    await settle(wallet, 500);
    expect(await sums(wallet)).toEqual({ balance: 108, pending: 0 });
    expect((await restore(wallet)).body.code).toBe('nothing_found');
    await expectNothingLost(wallet, mint, [own]);
  });

  test('counts nothing of a swap that the mint refuses in the end', { tags: 'slow' }, async () => {
    const mint = await testMint();
    const tokens = await signFor(mint, [64, 32, 4]);
    const wallet = await serveTimedWallet(mint);
    await wallet.receive(mint.issue(8, { withoutDleq: true }));
    mint.fail('/v1/swap', { kind: 'status' });
    expect((await restore(wallet)).body).toMatchObject({ amount: 0, pending: 100 });
    mint.spend(tokens);
    await settle(wallet);
    expect(await sums(wallet)).toEqual({ balance: 8, pending: 0 });
  });

  test('proofs that the mint is still processing arrive by themselves, even after a restart', async () => {
    const mint = await testMint();
    const tokens = await signFor(mint, [64, 32]);
    const wallet = await serveTimedWallet(mint);
    const own = mint.issue(8, { withoutDleq: true });
    await wallet.receive(own);
    mint.setPending(tokens);
    const { status, body } = await restore(wallet);
    expect([status, body]).toMatchObject([200, { found: 96, amount: 0, pending: 96, words: 'kept' }]);
    await wallet.close();
    const again = await serveTimedWallet(mint, { directory: wallet.directory });
    await runRecoveryPasses(again);
    expect(await sums(again)).toEqual({ balance: 8, pending: 96 });
    mint.clearPending();
    await settle(again);
    expect(await sums(again)).toEqual({ balance: 104, pending: 0 });
    await expectNothingLost(again, mint, [own]);
  });

  test('proofs that the mint is still processing arrive although somebody spends others of them', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint();
    const tokens = await signFor(mint, [64, 32, 4]);
    const wallet = await serveTimedWallet(mint);
    const own = mint.issue(8, { withoutDleq: true });
    await wallet.receive(own);
    mint.setPending(tokens);
    expect((await restore(wallet)).body).toMatchObject({ found: 100, amount: 0, pending: 100 });
    mint.clearPending();
    mint.spend(tokens.slice(0, 1));
    const left = mint.unspent(tokens);
    await until(async () => {
      wallet.clock.pass(60_000);
      return (await sums(wallet)).balance === 8 + left;
    });
    expect((await sums(wallet)).pending).toBe(0);
    await expectNothingLost(wallet, mint, [own]);
  });

  test('a proof that stays pending doesn’t hold back the others', { tags: 'slow' }, async () => {
    const mint = await testMint();
    const tokens = await signFor(mint, [64, 32, 4]);
    const wallet = await serveTimedWallet(mint);
    const own = mint.issue(8, { withoutDleq: true });
    await wallet.receive(own);
    mint.setPending(tokens);
    expect((await restore(wallet)).body).toMatchObject({ found: 100, amount: 0, pending: 100 });
    mint.clearPending(tokens.slice(0, 2));
    const free = mint.unspent(tokens.slice(0, 2));
    const passUntil = (balance: number) =>
      until(async () => {
        wallet.clock.pass(60_000);
        return (await sums(wallet)).balance === balance;
      });
    await passUntil(8 + free);
    // Those swaps begin one after the other.
    await until(async () => (await sums(wallet)).pending === 100 - free);
    mint.clearPending();
    await passUntil(108);
    await expectNothingLost(wallet, mint, [own]);
  });

  test('swaps each proof once at a time if the mint changes its mind about the state', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint();
    await signFor(mint, [64]);
    const { url, lie } = await fickle(mint.url);
    const wallet = await serveTimedWallet({ url });
    await wallet.receive(mint.issue(8, { withoutDleq: true, mintUrl: url }));
    lie();
    await restore(wallet);
    for (let minutes = 0; minutes < 6; minutes++) {
      const before = await restoresOf(wallet);
      wallet.clock.pass(60_000);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect((await restoresOf(wallet)) - before).toBeLessThanOrEqual(1);
    }
  });

  test('finds sats at the counters that a pending operation uses with its own words', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint();
    await signFor(mint, [64, 32]);
    const wallet = await serveTimedWallet(mint);
    const own = mint.issue(8, { withoutDleq: true });
    mint.fail('/v1/swap', { kind: 'status' });
    expect((await whileTimePasses(wallet, wallet.receive(own))).body.code).toBe('redemption_pending');
    expect((await restore(wallet)).body).toMatchObject({ amount: 0, pending: 96, words: 'kept' });
    mint.clearFaults();
    await settle(wallet, 500);
    expect(await sums(wallet)).toEqual({ balance: 104, pending: 0 });
    await expectNothingLost(wallet, mint, [own]);
  });

  test('tells found sats that are not worth their fee, or that the mint refuses, from credited ones', {
    tags: 'slow',
  }, async () => {
    const finalExpirySeconds = Math.floor(Date.now() / 1000) + 3600;
    const mint = await testMint({ keysets: [{ finalExpirySeconds }, { inputFeePpk: 2_000 }] });
    const expired = mint.keysets()[0]?.id;
    const wallet = await serveTimedWallet(mint);
    await wallet.receive(mint.issue(100, { withoutDleq: true }));
    await signFor(mint, [8], 0);
    await signFor(mint, [2], 1);
    mint.setTime(finalExpirySeconds);
    const { status, body } = await restore(wallet);
    expect([status, body]).toMatchObject([
      200,
      { found: 10, amount: 0, pending: 0, fee: 0, skipped: [{ keysetId: expired }] },
    ]);
  });
});

describe('a restore into an empty wallet', () => {
  test('keeps its words while the mint reports no proof of the other words as unspent', async () => {
    const mint = await testMint();
    const tokens = await signFor(mint, [64, 32]);
    mint.setPending(tokens);
    const wallet = await serveTimedWallet(mint);
    const own = await wordsOf(wallet);
    const { status, body } = await restore(wallet);
    expect(await wordsOf(wallet)).toBe(own);
    expect([status, body]).toMatchObject([200, { found: 96, amount: 0, pending: 96, words: 'kept' }]);
    mint.clearPending();
    await settle(wallet);
    expect((await sums(wallet)).balance).toBe(96);
    expect(await wordsOf(wallet)).toBe(own);
    await expectNothingLost(wallet, mint, []);
  });

  test('counts words that a person typed as backed up, if the wallet uses them', async () => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    const backedUpAt = async () => (await wallet.asOperator('GET', '/api/wallet/balance')).body.backedUpAt;
    expect((await restore(wallet)).body.code).toBe('nothing_found');
    expect(await backedUpAt()).toBe(undefined);
    await signFor(mint, [64]);
    expect((await restore(wallet)).body.words).toBe('replaced');
    expect(await backedUpAt()).toEqual(expect.any(String));
  });

  test('adopts words with an unspent proof, and keeps the pending ones that it found before', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint({ keysets: [{}, {}] });
    const pending = await signFor(mint, [64, 32]);
    await signFor(mint, [4], 1);
    mint.setPending(pending);
    const wallet = await serveTimedWallet(mint);
    const { status, body } = await restore(wallet);
    expect([status, body]).toMatchObject([200, { found: 100, amount: 4, pending: 96, words: 'replaced' }]);
    mint.clearPending();
    await until(async () => {
      wallet.clock.pass(60_000);
      return (await sums(wallet)).balance === 100;
    });
    await expectNothingLost(wallet, mint, []);
  });

  test('keeps the pending proofs that it found before a mint that limits requests delays the adoption', {
    tags: 'slow',
  }, async () => {
    const mint = await testMint({ keysets: [{}, {}] });
    mint.setPending(await signFor(mint, [64, 32]));
    await signFor(mint, [4], 1);
    const wallet = await serveTimedWallet(mint);
    // One request for each keyset, and the third one before anything is written.
    mint.fail('/v1/checkstate', { kind: 'status', status: 429, retryAfterSeconds: 1, every: 3, times: 1 });
    expect((await restore(wallet)).body).toMatchObject({
      found: 100,
      amount: 4,
      pending: 96,
      words: 'replaced',
    });
  });

  test('reports pending proofs if the mint limits the last request', async () => {
    const mint = await testMint();
    mint.setPending(await signFor(mint, [64, 32]));
    const wallet = await serveTimedWallet(mint);
    mint.fail('/v1/checkstate', { kind: 'status', status: 429, retryAfterSeconds: 1, every: 2, times: 1 });
    const { status, body } = await restore(wallet);
    expect([status, body]).toMatchObject([200, { found: 96, amount: 0, pending: 96, words: 'kept' }]);
  });
});
