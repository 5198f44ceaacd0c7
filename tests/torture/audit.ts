import type { Totals } from '../support/mint/store.ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';
import { type Address, ask, type Entry, must } from './ask.ts';
import type { Promises } from './customers.ts';

/** The sums of a run. `difference` must be 0. */
export interface Sums {
  balance: number;
  /** Of sent tokens that nobody redeemed. */
  sentUnspent: number;
  /** Of tokens given by customers. */
  givenUnspent: number;
  fees: number;
  issued: number;
  melted: number;
  /** issued - melted - all of the others. */
  difference: number;
}

/** A mint of this process or of another, which says what is unspent and what it gave out. */
export interface CountingMint {
  unspent(tokens: string[]): number | Promise<number>;
  totals(): Totals | Promise<Totals>;
}

/** A mint is asked about this many tokens at once. */
const TOKENS_AT_ONCE = 50;

const unspentOf = async (mint: CountingMint, tokens: readonly string[]): Promise<number> => {
  let sum = 0;
  for (let at = 0; at < tokens.length; at += TOKENS_AT_ONCE) {
    sum += await mint.unspent(tokens.slice(at, at + TOKENS_AT_ONCE));
  }
  return sum;
};

/** Adds up all there is. Each token of `history` and `given` counts with what is unspent of it. */
export const addUp = async (
  address: Address,
  mint: CountingMint,
  history: readonly Entry[],
  given: readonly { text: string }[],
): Promise<Sums> => {
  const { balance } = await must(address, { method: 'GET', path: '/api/wallet/balance' });
  const sent = history.flatMap(({ token }) => (token === undefined ? [] : [token]));
  const sentUnspent = await unspentOf(mint, sent);
  const givenUnspent = await unspentOf(
    mint,
    given.map(({ text }) => text),
  );
  const { issued, melted, fees } = await mint.totals();
  const difference = issued - melted - fees - givenUnspent - sentUnspent - balance;
  return { balance, sentUnspent, givenUnspent, fees, issued, melted, difference };
};

/** What an entry of the history did to the balance. */
export const effectOf = ({ kind, state, amount, fee }: Entry): number => {
  if (state !== 'completed') return 0;
  if (kind === 'send') return -amount - fee;
  if (kind === 'spent_elsewhere') return -amount;
  return kind === 'swap' ? -fee : amount;
};

/** What the history and what customers were told have to say of each other; empty when all is well. */
export const findContradictions = (
  history: readonly Entry[],
  balance: number,
  { given, sent, reclaimed }: Promises,
): string[] => {
  const problems: string[] = [];
  const byId = new Map(history.map((entry) => [entry.id, entry]));
  const told = ({ kind, state, id, error }: Entry) => `${kind} ${id} ${state} ${JSON.stringify(error ?? '')}`;

  for (const entry of history) {
    const ended = entry.state === 'completed' || (entry.state === 'failed' && entry.error?.error);
    if (!ended) problems.push(`has not ended with a reason: ${told(entry)}`);
  }

  const sum = history.reduce((total, entry) => total + effectOf(entry), 0);
  if (sum !== balance) problems.push(`the history adds up to ${sum}, the balance is ${balance}`);

  const receives = history.filter(({ kind, state }) => kind === 'receive' && state === 'completed');
  const receivesByToken = Map.groupBy(receives, ({ memo }) => memo ?? '');
  for (const { name, accepted, isGood } of given) {
    if (accepted.size > 1) problems.push(`${name} was paid for twice: ${[...accepted.keys()]}`);
    const completed = receivesByToken.get(name) ?? [];
    if (completed.length > 1) problems.push(`${name} was received twice`);
    if (completed.length > 0 && !isGood) problems.push(`${name} was received and is no good`);
    for (const [id, amount] of accepted) {
      const entry = byId.get(id);
      if (entry?.state !== 'completed' || entry.amount !== amount || entry.memo !== name) {
        problems.push(`${name} was answered 200, but: ${entry ? told(entry) : `no operation ${id}`}`);
      }
    }
  }

  for (const [id, token] of sent) {
    const entry = byId.get(id);
    if (entry?.state !== 'completed' || entry.token !== token) {
      problems.push(`a send was answered 201, but: ${entry ? told(entry) : `no operation ${id}`}`);
    }
  }
  for (const id of reclaimed) {
    if (byId.get(id)?.state !== 'completed') problems.push(`a reclaim was answered 200, but ${id} is not`);
  }
  return problems;
};

/** Tokens whose sats are neither theirs any more nor ours: where to look when the sums differ. */
export const findLost = async (
  mint: TestMintProcess,
  history: readonly Entry[],
  { given }: Promises,
): Promise<string[]> => {
  const received = new Set(history.filter(({ state }) => state === 'completed').map(({ memo }) => memo));
  const lost: string[] = [];
  for (const { name, text, isGood } of given) {
    if (!isGood || received.has(name)) continue;
    if (!(await mint.states(text)).includes('SPENT')) continue;
    const tries = history.filter(({ memo }) => memo === name).map(({ error }) => error?.code);
    lost.push(`${name} is spent, and no receive of it completed (${tries.join(', ')})`);
  }
  return lost;
};

/** Takes out all the wallet can pay, in `parts` or more, so that each proof it counts must be one the mint takes. */
export const takeAllOut = async (
  address: Address,
  parts = 4,
): Promise<{ left: number; problems: string[] }> => {
  const problems: string[] = [];
  const read = async (): Promise<number> =>
    (await must(address, { method: 'GET', path: '/api/wallet/balance' })).balance;
  let left = await read();
  let amount = Math.ceil(left / parts);
  while (amount > 0) {
    const reply = await ask(address, { method: 'POST', path: '/api/wallet/send', body: { amount } });
    const code = reply?.body.code;
    if (reply?.status === 201) {
      left = await read();
      amount = Math.min(amount, left);
    } else if (code === 'insufficient_funds') amount -= Math.max(1, Math.floor(amount / 50));
    else if (code === 'token_too_large') amount = Math.floor(amount / 2);
    else {
      problems.push(`the wallet cannot pay ${amount} of ${left}: ${JSON.stringify(reply?.body)}`);
      break;
    }
  }
  return { left, problems };
};
