import { describe, expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { earn, expectConsistent, startCopy } from '../../../support/wallet-copies.ts';
import {
  expectNothingLost,
  send,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

/** A mint did a swap, its answer was lost, and for ten minutes its `/v1/restore` doesn't know of it. */

const LAG_SECONDS = 600;
const FUNDS = 99;

/** The mint's clock stands apart from the wallet's, so that a slow machine changes nothing. */
const SWAPPED_AT = 1_800_000_000;

/** Makes the restore of a mint lag behind what it does now. */
const lag = (mint: TestMint) => {
  mint.setTime(SWAPPED_AT);
  mint.fail('/v1/restore', { kind: 'lag', seconds: LAG_SECONDS });
};

const entryOf = async (wallet: TimedWallet, operationId: string) =>
  (await readHistory(wallet)).find(({ id }) => id === operationId);

/** Lets time pass in steps until an operation is in a state. */
const passUntil = (
  wallet: TimedWallet,
  id: string,
  state: string,
  stepSeconds: number,
  onStep: () => void = () => undefined,
) =>
  until(async () => {
    wallet.clock.pass(stepSeconds * 1000);
    onStep();
    return (await entryOf(wallet, id))?.state === state;
  });

/** Closes it and starts it again. The clock of a start begins at the real time, so it is moved to where it was. */
const restart = async (mint: TestMint, wallet: TimedWallet): Promise<TimedWallet> => {
  const at = wallet.clock.now();
  await wallet.close();
  const again = await startCopy(mint, { directory: wallet.directory });
  again.clock.pass(Math.max(0, at - again.clock.now()));
  return again;
};

describe.each([
  ['without a restart', []],
  ['with a restart while it is pending', ['pending']],
  ['with a restart after it failed', ['failed']],
  ['with both restarts', ['pending', 'failed']],
])('while the mint restores nothing for ten minutes, %s,', (_name, restarts: string[]) => {
  const liveThrough = async (mint: TestMint, first: TimedWallet, id: string): Promise<TimedWallet> => {
    let wallet = first;
    if (restarts.includes('pending')) wallet = await restart(mint, wallet);
    await passUntil(wallet, id, 'failed', 5);
    if (restarts.includes('failed')) wallet = await restart(mint, wallet);
    // Within the lag, nothing can be found.
    const asked = mint.requestCount('/v1/restore');
    await until(() => {
      wallet.clock.pass(5_000);
      return mint.requestCount('/v1/restore') > asked;
    });
    expect((await entryOf(wallet, id))?.state).toBe('failed');
    let seconds = SWAPPED_AT;
    await passUntil(wallet, id, 'completed', 60, () => {
      seconds += 60;
      mint.setTime(seconds);
    });
    return wallet;
  };

  test('a receive loses no sat', async () => {
    const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
    const wallet = await startCopy(mint);
    lag(mint);
    mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 });
    const token = mint.issue(100, { withoutDleq: true });
    const { status, body } = await whileTimePasses(wallet, wallet.receive(token));
    expect([status, body.code]).toEqual([503, 'redemption_pending']);
    const after = await liveThrough(mint, wallet, body.operationId);
    expect(await sums(after)).toEqual({ balance: 99, pending: 0 });
    expect(await entryOf(after, body.operationId)).toMatchObject({ kind: 'receive', amount: 99, fee: 1 });
    const again = (await after.receive(token)).body;
    expect(again).toMatchObject({ code: 'token_spent', operationId: body.operationId });
    await expectConsistent(after, mint);
    mint.clearFaults();
    await expectNothingLost(after, mint, [token]);
  });

  test('a send has its token in the history, and its change', async () => {
    const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
    const wallet = await startCopy(mint);
    await earn(wallet, mint, FUNDS + 1);
    lag(mint);
    mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 });
    const { status, body } = await whileTimePasses(wallet, send(wallet, 20, 'for you'));
    expect([status, body.code]).toEqual([503, 'send_pending']);
    const after = await liveThrough(mint, wallet, body.operationId);
    const entry = await entryOf(after, body.operationId);
    expect(entry).toMatchObject({ kind: 'send', state: 'completed', amount: 20, memo: 'for you' });
    expect(mint.unspent([entry?.token ?? ''])).toBe(20);
    expect(await sums(after)).toEqual({ balance: FUNDS - 20 - (entry?.fee ?? 0), pending: 0 });
    await expectConsistent(after, mint);
    mint.clearFaults();
    await expectNothingLost(after, mint, []);
  });
});

test.each([
  ['receive', 150],
  ['send', 50],
] as const)(
  'a replanned %s is completed with its first plan if the mint executed that one after all',
  async (kind, balance) => {
    const mint = await testMint();
    const [old = ''] = mint.keysets().map(({ id }) => id);
    let replans = 0;
    const wallet = await startCopy(mint, {
      mintTimeoutMs: 700,
      onStep(step) {
        if (step !== 'operation-replanned') return;
        replans++;
        // The request that was on its way all the time arrives before the one with the new plan.
        mint.setKeyset(old, { active: true });
        mint.clearFaults('/v1/swap');
      },
    });
    await earn(wallet, mint, 100);
    mint.fail('/v1/restore', { kind: 'partial', keep: 0 });
    mint.fail('/v1/swap', { kind: 'hang', times: 1 });
    const token = mint.issue(50, { withoutDleq: true });
    const asked = kind === 'receive' ? wallet.receive(token) : send(wallet, 50);
    await until(() => mint.hanging() === 1);
    mint.rotate();
    const { body } = await whileTimePasses(wallet, asked);
    const id = body.operationId;
    expect(body.code).toBe(`${kind === 'receive' ? 'redemption' : 'send'}_pending`);
    await passUntil(wallet, id, 'failed', 5);
    expect(replans).toBe(1);
    mint.clearFaults();
    await passUntil(wallet, id, 'completed', 60);
    const entry = await entryOf(wallet, id);
    expect(entry).toMatchObject({ kind, amount: 50 });
    expect(await wallet.balance()).toBe(balance);
    expect(mint.unspent(entry?.token === undefined ? [] : [entry.token])).toBe(kind === 'send' ? 50 : 0);
    expect(mint.outstanding()).toBe(150);
    await expectConsistent(wallet, mint);
  },
);
