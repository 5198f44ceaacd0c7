import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Entry, readHistory } from '../torture/ask.ts';
import { effectOf } from '../torture/audit.ts';
import type { TestMint } from './mint/test-mint.ts';
import { until } from './raw-http.ts';
import { makeTempDirectory } from './temp.ts';
import { readRows, type WalletServer } from './wallet.ts';
import { serveTimedWallet, type TimedWallet } from './wallet-recovery.ts';

/** Helpers for wallets whose data directory is copied, put back, or used by two servers at once. */

/** Starts a wallet whose time the test controls. */
export const startCopy = serveTimedWallet;

/** Copies a wallet directory to a new place. Also works while a quiet server uses it. */
export const copyWallet = async (directory: string): Promise<string> => {
  const copy = join(await makeTempDirectory(), 'wallet');
  await cp(directory, copy, { recursive: true });
  return copy;
};

/** Replaces a wallet directory, whose server must be closed, with a copy. The copy can be used again. */
export const putBack = async (copy: string, directory: string): Promise<void> => {
  await rm(directory, { recursive: true });
  await cp(copy, directory, { recursive: true });
};

/** Receives a new token, which must succeed within the request. */
export const earn = async (wallet: WalletServer, mint: TestMint, amount: number): Promise<string> => {
  const token = mint.issue(amount, { withoutDleq: true });
  const { status, body } = await wallet.receive(token);
  expect([status, body.code, body.success]).toEqual([200, undefined, true]);
  return token;
};

/** Sends a token, which must succeed within the request. */
export const pay = async (wallet: WalletServer, amount: number): Promise<string> => {
  const { status, body } = await wallet.asOperator('POST', '/api/wallet/send', { amount });
  expect([status, body.code]).toEqual([201, undefined]);
  return body.token;
};

/** The balance that the history implies. */
export const historySum = (history: readonly Entry[]): number =>
  history.reduce((sum, entry) => sum + effectOf(entry), 0);

/**
 * Checks that the mint calls every proof in the balance unspent, and that the balance is the sum of those
 * proofs. The wallet may be running, but not busy.
 */
export const expectBacked = async (wallet: WalletServer, mint: TestMint): Promise<void> => {
  const { balance, expired = 0 } = (await wallet.call('GET', '/api/wallet/balance')).body;
  const rows = await readRows(
    await copyWallet(wallet.directory),
    "SELECT y, amount FROM proofs WHERE state = 'free'",
  );
  expect(rows.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(balance + expired);
  const states = mint.unspentOf(rows.map(({ y }) => String(y)));
  expect(states.filter((state) => state !== 'UNSPENT')).toEqual([]);
};

/** Lets the time pass until the mint has confirmed what it called spent, so that nothing is unconfirmed. */
export const untilConfirmed = async (wallet: Pick<TimedWallet, 'call' | 'clock'>): Promise<void> => {
  await until(async () => {
    wallet.clock.pass(31_000);
    return (await wallet.call('GET', '/api/wallet/balance')).body.unconfirmed === undefined;
  });
};

/**
 * Checks the proofs as {@link expectBacked} does, and that the history matches the balance. Nothing may be
 * pending.
 */
export const expectConsistent = async (wallet: WalletServer, mint: TestMint): Promise<void> => {
  await expectBacked(wallet, mint);
  const { balance, expired = 0, unconfirmed = 0 } = (await wallet.call('GET', '/api/wallet/balance')).body;
  const history = await readHistory(wallet);
  expect(history.filter(({ state }) => state === 'pending')).toEqual([]);
  expect(historySum(history)).toBe(balance + expired + unconfirmed);
};
