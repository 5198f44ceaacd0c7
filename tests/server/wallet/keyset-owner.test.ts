import { expect, test } from 'vitest';
import { derivationOf } from '../../../src/server/wallet/mint/keyset-derivation.ts';
import { host } from '../../support/host.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { hostileMint, otherAddress } from '../../support/mint/hostile-mint.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { copyWallet, earn, pay, putBack } from '../../support/wallet-copies.ts';
import {
  reclaim,
  runRecoveryPasses,
  serveTimedWallet,
  type TimedWallet,
} from '../../support/wallet-recovery.ts';

/** A keyset belongs to the mint that listed it first (docs/adr/0007). */

const read = async (wallet: Pick<TimedWallet, 'call'>, path: string) =>
  (await wallet.call('GET', `/api/wallet/${path}`)).body;

const act = (wallet: TimedWallet, path: string, body: unknown = {}) =>
  wallet.asOperator('POST', `/api/wallet/${path}`, body);

/** The directory of a closed wallet with sats at a mint, and its words. */
const walletAt = async (mint: TestMint, sats: number) => {
  const wallet = await serveTimedWallet(mint);
  await earn(wallet, mint, sats);
  const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
  await wallet.close();
  return { directory: wallet.directory, mnemonic };
};

/** Starts a wallet, and lets it look for its sats in its first minutes. */
const startAndWait = async (mint: { url: string }, directory: string) => {
  const wallet = await serveTimedWallet(mint, { directory });
  await runRecoveryPasses(wallet);
  await act(wallet, 'rescan');
  await runRecoveryPasses(wallet);
  return wallet;
};

test('a mint that lists another mint’s keyset as an old one of its own gets none of its sats', async () => {
  const [mint, own] = [await testMint(), await testMint()];
  const { directory, mnemonic } = await walletAt(mint, 999);
  const hostile = await hostileMint(own, mint);
  const wallet = await startAndWait(hostile, directory);
  const restored = await act(wallet, 'restore', { mnemonic });
  await runRecoveryPasses(wallet);

  expect([hostile.taken(), hostile.outputs(), mint.totals().spent]).toEqual([0, 0, 999]);
  expect(restored.body).toMatchObject({ found: 0, skipped: [{ reason: expect.stringContaining(mint.url) }] });
  expect(await read(wallet, 'balance')).toMatchObject({
    balance: 0,
    otherMints: [{ mint: mint.url, balance: 999, pending: 0 }],
  });
  expect((await read(wallet, 'mint')).foreignKeysets).toEqual([{ mint: mint.url, keysets: 1, all: false }]);
  expect((await act(wallet, 'mint/address', { from: mint.url })).body.code).toBe('not_same_mint');

  // Its own keyset works.
  const token = own.issue(7, { withoutDleq: true, mintUrl: hostile.url });
  expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 7 });
  await wallet.close();
  const back = await serveTimedWallet(mint, { directory });
  expect((await read(back, 'balance')).balance).toBe(999);
  expect(mint.unspent([await pay(back, 999)])).toBe(999);
});

test('other words are not searched on another mint’s keyset either', async () => {
  const [mint, own] = [await testMint(), await testMint()];
  const other = await walletAt(mint, 50);
  const { directory } = await walletAt(mint, 1);
  const hostile = await hostileMint(own, mint);
  const wallet = await startAndWait(hostile, directory);
  expect((await act(wallet, 'restore', { mnemonic: other.mnemonic })).body).toMatchObject({
    code: 'nothing_found',
    skipped: [{ reason: expect.stringContaining(mint.url) }],
  });
  expect([hostile.taken(), hostile.outputs()]).toEqual([0, 0]);
});

test('another mint’s keyset is never the one for new outputs, even as the first active one', async () => {
  const [mint, own] = [await testMint(), await testMint({ keysets: [{ inputFeePpk: 100 }] })];
  const { directory } = await walletAt(mint, 8);
  const hostile = await hostileMint(own, mint, { list: (keyset) => keyset });
  const wallet = await startAndWait(hostile, directory);
  const foreign = mint.issue(4, { withoutDleq: true, mintUrl: hostile.url });
  expect((await wallet.receive(foreign)).body.code).toBe('unknown_keyset');
  expect((await wallet.validate(foreign)).body).toMatchObject({ valid: false, reason: 'unknown_keyset' });
  const token = own.issue(7, { withoutDleq: true, mintUrl: hostile.url });
  expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 6 });
  await pay(wallet, 2);
  expect([hostile.taken(), hostile.outputs(), mint.unspent([foreign])]).toEqual([0, 0, 4]);
});

test('after a rollback, a former mint that lists the mint’s newer keysets first gets none of its sats', async () => {
  const [mint, own] = [await testMint(), await testMint()];
  const { directory } = await walletAt(mint, 1);
  const hostile = await hostileMint(own, mint);
  const former = await serveTimedWallet(hostile, { directory });
  await former.receive(own.issue(7, { withoutDleq: true, mintUrl: hostile.url }));
  await former.close();
  const copy = await copyWallet(directory);
  mint.rotate();
  const earning = await serveTimedWallet(mint, { directory });
  await earn(earning, mint, 100);
  await earning.close();
  await putBack(copy, directory);

  mint.fail('/v1/keysets', { kind: 'slow', delayMs: 500, times: 3 });
  const wallet = await startAndWait(mint, directory);
  expect([hostile.taken(), hostile.outputs()]).toEqual([0, 0]);
  expect(await read(wallet, 'balance')).toMatchObject({
    balance: 101,
    otherMints: [{ mint: hostile.url, balance: 7, pending: 0 }],
  });
  expect(mint.unspent([await pay(wallet, 101)])).toBe(101);
});

/** Another version 1 id with the same secrets, because only its remainder by 2^31 - 1 counts (NUT-13). */
const twinOf = (id: string): string =>
  (BigInt(`0x${id}`) + BigInt(2 ** 31 - 1)).toString(16).padStart(16, '0');

test('an id with the secrets of another mint’s keyset counts as that keyset', async () => {
  const [mint, own] = [await testMint({ keysets: [{ version: 1 }] }), await testMint()];
  const [{ id = '' } = {}] = mint.keysets();
  expect(twinOf(id)).not.toBe(id);
  expect(derivationOf(twinOf(id))).toBe(derivationOf(id));
  const { directory } = await walletAt(mint, 8);
  const hostile = await hostileMint(own, mint, {
    list: (keyset) => ({ ...keyset, id: twinOf(keyset.id), active: false }),
  });
  const wallet = await startAndWait(hostile, directory);
  expect([hostile.outputs(), (await read(wallet, 'mint')).foreignKeysets]).toEqual([
    0,
    [{ mint: mint.url, keysets: 1, all: false }],
  ]);
});

test('ids in upper case or with half a byte more have the secrets of the same keyset', () => {
  const id = `01${'ab'.repeat(32)}`;
  expect([id.toUpperCase(), `${id}f`].map(derivationOf)).toEqual([id, id]);
  expect(derivationOf(`01${'ac'.repeat(32)}`)).not.toBe(id);
  expect(derivationOf('I2yN+iRYfkzT')).toMatch(/^\d+$/);
});

test('a mint with a second address counts once, until the operator changes the address of its wallet', async () => {
  const mint = await testMint();
  const { directory } = await walletAt(mint, 100);
  const before = await serveTimedWallet(mint, { directory });
  const sent = await before.asOperator('POST', '/api/wallet/send', { amount: 30 });
  await before.close();
  const moved = await otherAddress(mint);
  const wallet = await startAndWait(moved, directory);
  expect(await read(wallet, 'balance')).toMatchObject({
    balance: 0,
    otherMints: [{ mint: mint.url, balance: 70, pending: 0 }],
  });
  expect((await read(wallet, 'mint')).foreignKeysets).toEqual([{ mint: mint.url, keysets: 1, all: true }]);
  const token = mint.issue(5, { withoutDleq: true, mintUrl: moved.url });
  expect((await wallet.receive(token)).body).toMatchObject({
    code: 'mint_error',
    error: expect.stringContaining(mint.url),
  });

  const change = { from: mint.url };
  expect((await wallet.call('POST', '/api/wallet/mint/address', change)).status).toBe(403);
  expect((await act(wallet, 'mint/address', { from: 'https://other.example' })).body.code).toBe(
    'not_same_mint',
  );
  expect((await act(wallet, 'mint/address', change)).body).toEqual({ mint: moved.url, restarting: false });
  await wallet.close();

  const after = await serveTimedWallet(moved, { directory });
  const balance = await read(after, 'balance');
  expect([balance.mint, balance.balance, balance.otherMints]).toEqual([moved.url, 70, undefined]);
  expect((await after.receive(token)).body).toMatchObject({ success: true, amount: 5 });
  // Tokens can still name the earlier address.
  expect((await after.receive(mint.issue(6, { withoutDleq: true }))).body.amount).toBe(6);
  expect((await reclaim(after, sent.body.operationId)).body.amount).toBe(30);
  expect(mint.unspent([await pay(after, 111)])).toBe(111);
});

test('changing the address restarts dot-mi with the wallet of that address', async () => {
  const mint = await testMint();
  const moved = await otherAddress(mint);
  const server = await host({ DEV_MODE: 'false' });
  const setMint = async (mintUrl: string, starts: number) => {
    expect((await server.call('PUT', '/api/settings', { mintUrl })).status).toBe(200);
    await server.untilStarted(starts);
  };
  await setMint(mint.url, 2);
  const token = mint.issue(40, { withoutDleq: true });
  expect((await server.call('POST', '/api/wallet/receive', { token })).status).toBe(200);
  await setMint(moved.url, 3);
  const changed = await server.call('POST', '/api/wallet/mint/address', { from: mint.url });
  expect(changed.body).toEqual({ mint: moved.url, restarting: true });
  await server.untilStarted(4);
  expect((await server.call('GET', '/api/wallet/balance')).body).toMatchObject({
    mint: moved.url,
    balance: 40,
  });
  expect(server.lost).toEqual([]);
});
