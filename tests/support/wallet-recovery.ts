import { createParser } from 'eventsource-parser';
import { expect, onTestFinished } from 'vitest';
import { readHistory } from '../torture/ask.ts';
import { addUp, findContradictions, takeAllOut } from '../torture/audit.ts';
import { type FakeClock, makeClock } from './clock.ts';
import type { TestMint } from './mint/test-mint.ts';
import { PATIENCE_MS } from './patience.ts';
import { until } from './raw-http.ts';
import type { Answer } from './server.ts';
import { serveWallet, type WalletServer, type WalletServerOptions } from './wallet.ts';

/** A wallet whose time the test controls. */
export interface TimedWallet extends WalletServer {
  clock: FakeClock;
}

const TICK_MS = 10;
/** Steps through the first waits of a request's retries one by one. */
const STEP_MS = 200;
/** A request deadline that no slow machine reaches while time passes. */
export const PATIENT = { requestDeadlineMs: 60 * 60_000 };

/** Longer than any wait of the recovery. */
const LONG_MS = 6 * 60_000;

/** A refusal counts at once. Tests of the second look use longer times. */
const AT_ONCE = { confirmAfterMs: 0, giveUpPendingAfterMs: 0 };

/**
 * Starts a real wallet with a stopped clock. It waits for the mint's answers in real time, by default for as long as the
 * test does. A test about a mint that hangs sets `mintTimeoutMs`.
 */
export const serveTimedWallet = async (
  mint: Pick<TestMint, 'url'>,
  options: Omit<WalletServerOptions, 'clock'> = {},
): Promise<TimedWallet> => {
  const clock = makeClock(new Date().toISOString());
  return {
    ...(await serveWallet(mint.url, {
      mintTimeoutMs: PATIENCE_MS,
      decisionTimes: AT_ONCE,
      ...options,
      clock,
    })),
    clock,
  };
};

/** Waits for an answer while time passes, about 20 times as fast as real time. */
export const whileTimePasses = async <T>({ clock }: TimedWallet, task: Promise<T>): Promise<T> => {
  const timer = setInterval(() => clock.pass(STEP_MS), TICK_MS);
  try {
    return await task;
  } finally {
    clearInterval(timer);
  }
};

/** Lets time pass until nothing is pending, `stepMs` at a time. */
export const settle = (wallet: TimedWallet, stepMs = LONG_MS): Promise<void> =>
  until(async () => {
    wallet.clock.pass(stepMs);
    return (await readHistory(wallet)).every(({ state }) => state !== 'pending');
  });

/** Lets much time pass, so that recovery tries what it can. */
export const runRecoveryPasses = async ({ clock }: TimedWallet, times = 5): Promise<void> => {
  for (let count = 0; count < times; count++) {
    clock.pass(LONG_MS);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
};

/** Sends a token as the operator. */
export const send = (wallet: WalletServer, amount: number, memo?: string): Promise<Answer> =>
  wallet.asOperator('POST', '/api/wallet/send', { amount, ...(memo === undefined ? {} : { memo }) });

/** Reclaims a sent token. */
export const reclaim = (wallet: WalletServer, id: string): Promise<Answer> =>
  wallet.asOperator('POST', `/api/wallet/operations/${id}/reclaim`);

/** The balance and the pending amount. */
export const sums = async (wallet: WalletServer): Promise<{ balance: number; pending: number }> => {
  const { balance, pending } = (await wallet.call('GET', '/api/wallet/balance')).body;
  return { balance, pending };
};

/**
 * Checks what must hold at the end of every test: nothing is pending, the sums match the mint's, and the
 * wallet can spend every sat that it counts. `tokens` are those that the test created.
 */
export const expectNothingLost = async (
  wallet: WalletServer,
  mint: TestMint,
  tokens: readonly string[],
): Promise<void> => {
  const given = tokens.map((text) => ({ text }));
  const history = await readHistory(wallet);
  const before = await addUp(wallet, mint, history, given);
  expect(before.difference).toBe(0);
  const promises = {
    given: [],
    sent: new Map(),
    reclaimed: new Set<string>(),
    problems: [],
    answers: new Map(),
  };
  expect(findContradictions(history, before.balance + before.unconfirmed, promises)).toEqual([]);
  const { left, problems } = await takeAllOut(wallet, 1);
  expect(problems).toEqual([]);
  // Proofs that are worth at most their own fee.
  expect(left).toBeLessThan(5);
  expect((await addUp(wallet, mint, await readHistory(wallet), given)).difference).toBe(0);
};

/** Follows the events of the wallet from now on, until the test ends. */
export const followWallet = async (wallet: WalletServer) => {
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const headers = { Authorization: `Bearer ${wallet.operatorToken}` };
  const response = await fetch(`${wallet.url}/api/events`, { signal: leave.signal, headers });
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect any event
  const events: any[] = [];
  let text = '';
  const parser = createParser({
    onEvent: ({ event, data }) => event === 'wallet' && events.push(JSON.parse(data)),
  });
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const part = decoder.decode(chunk, { stream: true });
      text += part;
      parser.feed(part);
    }
  };
  read().catch(() => undefined);
  return { events, text: () => text };
};
