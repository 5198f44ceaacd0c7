import { setTimeout as sleep } from 'node:timers/promises';
import { Amount, getDecodedToken, getEncodedToken } from '@cashu/cashu-ts';
import type { Output } from '../../src/server/wallet/mint/mint.ts';
import { askMint } from '../support/mint/client.ts';
import type { Totals } from '../support/mint/store.ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';
import type { Holdings } from '../support/wallet-audit.ts';
import { type Address, ask, type Entry, must } from './ask.ts';
import type { Promises } from './clients.ts';
import { type HeldProof, secretOf, yOf } from './leftovers.ts';

/** The sums of a run. `difference` must be 0. */
export interface Sums {
  balance: number;
  /** Sats of the wallet on expired keysets. */
  expired: number;
  /** Sats of the wallet that the mint has not confirmed. */
  unconfirmed: number;
  /** The value of sent tokens that nobody redeemed. */
  sentUnspent: number;
  /** The value of clients' tokens, and of others that the history doesn't show. */
  givenUnspent: number;
  fees: number;
  issued: number;
  melted: number;
  /** issued - melted - all of the others. */
  difference: number;
}

/** A mint, in this process or another, that reports what is unspent and what it issued. */
export interface CountingMint {
  unspent(tokens: string[]): number | Promise<number>;
  totals(): Totals | Promise<Totals>;
}

/** The number of tokens in one question to a mint. */
const TOKENS_AT_ONCE = 50;

const unspentOf = async (mint: CountingMint, tokens: readonly string[]): Promise<number> => {
  let sum = 0;
  for (let at = 0; at < tokens.length; at += TOKENS_AT_ONCE) {
    sum += await mint.unspent(tokens.slice(at, at + TOKENS_AT_ONCE));
  }
  return sum;
};

/** Adds everything up. Each token of `history` and `given` counts with its unspent part. */
export const addUp = async (
  address: Address,
  mint: CountingMint,
  history: readonly Entry[],
  given: readonly { text: string }[],
): Promise<Sums> => {
  const {
    balance,
    expired = 0,
    unconfirmed = 0,
  } = await must(address, {
    method: 'GET',
    path: '/api/wallet/balance',
  });
  const sent = history.flatMap(({ token }) => (token === undefined ? [] : [token]));
  const sentUnspent = await unspentOf(mint, sent);
  const givenUnspent = await unspentOf(
    mint,
    given.map(({ text }) => text),
  );
  const { issued, melted, fees } = await mint.totals();
  const ours = balance + expired + unconfirmed;
  const difference = issued - melted - fees - givenUnspent - sentUnspent - ours;
  return { balance, expired, unconfirmed, sentUnspent, givenUnspent, fees, issued, melted, difference };
};

/** A history entry's effect on the balance. */
export const effectOf = ({ kind, state, amount, fee }: Entry): number => {
  if (state !== 'completed') return 0;
  if (kind === 'send') return -amount - fee;
  if (kind === 'spent_elsewhere') return -amount;
  return kind === 'swap' ? -fee : amount;
};

/**
 * Contradictions between the history and the answers that clients got; empty when all is well. `balance`
 * includes expired and unconfirmed sats. With `lives`, promises of other lives may be forgotten, because the data was put
 * back or is another copy's.
 */
export const findContradictions = (
  history: readonly Entry[],
  balance: number,
  { given, sent, reclaimed, answeredIn }: Promises,
  lives?: ReadonlySet<number>,
): string[] => {
  const problems: string[] = [];
  const byId = new Map(history.map((entry) => [entry.id, entry]));
  const mayBeForgotten = (id: string) =>
    lives !== undefined && ![...(answeredIn?.get(id) ?? [])].some((life) => lives.has(life));
  const told = ({ kind, state, id, error }: Entry) => `${kind} ${id} ${state} ${JSON.stringify(error ?? '')}`;

  for (const entry of history) {
    const ended = entry.state === 'completed' || (entry.state === 'failed' && entry.error?.error);
    if (!ended) problems.push(`has not ended with a reason: ${told(entry)}`);
  }

  const sum = history.reduce((total, entry) => total + effectOf(entry), 0);
  if (sum !== balance) problems.push(`the history adds up to ${sum}, the balance is ${balance}`);

  const receives = history.filter(({ kind, state }) => kind === 'receive' && state === 'completed');
  const receivesByToken = Map.groupBy(receives, ({ memo }) => memo ?? '');
  for (const { name, memo, accepted, worth } of given) {
    if (accepted.size > 1) problems.push(`${name} was paid for twice: ${[...accepted.keys()]}`);
    const completed = memo === undefined ? [] : (receivesByToken.get(memo) ?? []);
    if (completed.length > 1) problems.push(`${name} was received twice`);
    if (completed.length > 0 && worth === 'bad') problems.push(`${name} was received and is no good`);
    for (const [id, amount] of accepted) {
      if (mayBeForgotten(id)) continue;
      const entry = byId.get(id);
      if (entry?.state !== 'completed' || entry.amount !== amount || entry.memo !== memo) {
        problems.push(`${name} was answered 200, but: ${entry ? told(entry) : `no operation ${id}`}`);
      }
    }
  }

  for (const [id, token] of sent) {
    if (mayBeForgotten(id)) continue;
    const entry = byId.get(id);
    if (entry?.state !== 'completed' || entry.token !== token) {
      problems.push(`a send was answered 201, but: ${entry ? told(entry) : `no operation ${id}`}`);
    }
  }
  for (const id of reclaimed) {
    if (!mayBeForgotten(id) && byId.get(id)?.state !== 'completed')
      problems.push(`a reclaim was answered 200, but ${id} is not`);
  }
  return problems;
};

/** Tokens that are spent although no receive of them completed: where to look when the sums differ. */
export const findLost = async (
  mint: TestMintProcess,
  history: readonly Entry[],
  { given }: Promises,
): Promise<string[]> => {
  const received = new Set(history.filter(({ state }) => state === 'completed').map(({ memo }) => memo));
  const lost: string[] = [];
  for (const { name, text, worth, accepted } of given) {
    // A token that paid may be forgotten. Its sats are then of the kind `recovered`.
    if (worth !== 'good' || received.has(name) || accepted.size > 0) continue;
    if (!(await mint.states(text)).includes('SPENT')) continue;
    const tries = history.filter(({ memo }) => memo === name).map(({ error }) => error?.code);
    lost.push(`${name} is spent, and no receive of it completed (${tries.join(', ')})`);
  }
  return lost;
};

/** Unspent proofs that only removed data had: where to look when the sums differ. `known` are secrets that are counted. */
export const findForgotten = async (
  mint: TestMintProcess,
  removed: readonly HeldProof[],
  known: ReadonlySet<string>,
): Promise<string[]> => {
  const forgotten: string[] = [];
  const unknown = removed.filter(({ secret }) => !known.has(secret));
  for (const part of inParts(unknown, ITEMS_AT_ONCE)) {
    const states = await mint.unspentOf(part.map(({ y }) => y));
    for (const [index, { id, amount, kind, secret }] of part.entries()) {
      if (states[index] === 'SPENT') continue;
      forgotten.push(`${amount} sat of a ${kind} on ${id}, which only removed data had (${yOf(secret)})`);
    }
  }
  return forgotten;
};

/** Tokens of the proofs that are in no earlier token and not in `known`. Adds those proofs to `known`. */
export const distinctTokens = (
  texts: Iterable<string>,
  keysetIds: string[],
  known: Set<string>,
): string[] => {
  const distinct: string[] = [];
  for (const text of texts) {
    const decoded = getDecodedToken(text, keysetIds);
    const proofs = decoded.proofs.filter(({ secret }) => !known.has(secret));
    for (const { secret } of proofs) known.add(secret);
    if (proofs.length === decoded.proofs.length) distinct.push(text);
    else if (proofs.length > 0) distinct.push(getEncodedToken({ ...decoded, proofs }));
  }
  return distinct;
};

const inParts = function* <T>(all: readonly T[], size: number) {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
};

/** The number of outputs or Ys that a mint answers for at once. */
const ITEMS_AT_ONCE = 500;

/**
 * Sats that left in tokens whose text nobody saw before the data was put back. They are unspent at the mint,
 * and only the removed data could name them. `known` are secrets that are counted elsewhere.
 */
export const addUpUnseen = async (
  mint: TestMintProcess,
  outputs: readonly Output[],
  known: ReadonlySet<string>,
): Promise<number> => {
  const unseen = new Map(
    outputs
      .filter((output) => !known.has(secretOf(output)))
      .map((output) => [output.blindedMessage.B_, output]),
  );
  let sum = 0;
  for (const part of inParts([...unseen.values()], ITEMS_AT_ONCE)) {
    const messages = part.map(({ blindedMessage: { amount, ...rest } }) => ({
      ...rest,
      amount: Number(amount),
    }));
    const { body } = await askMint(mint.url, '/v1/restore', { outputs: messages });
    const signed: { B_: string; amount: number }[] = body.outputs;
    const secretsOf = signed.flatMap(({ B_ }) => unseen.get(B_) ?? []).map(secretOf);
    const states = await mint.unspentOf(secretsOf.map(yOf));
    for (const [index, { amount }] of signed.entries()) if (states[index] !== 'SPENT') sum += amount;
  }
  return sum;
};

/** Reports differences between what a wallet's books hold and what it says, and free proofs that aren't unspent. */
export const findUnbacked = async (
  mint: TestMintProcess,
  { free, held, unconfirmed, freeProofs }: Holdings,
  sums: Sums,
): Promise<string[]> => {
  const problems: string[] = [];
  if (held !== 0) problems.push(`${held} sat are held although nothing is pending`);
  const said = sums.balance + sums.expired;
  if (free !== said || unconfirmed !== sums.unconfirmed) {
    const booked = `the books hold ${free} sat free and ${unconfirmed} unconfirmed`;
    problems.push(`${booked}, the wallet says ${said} and ${sums.unconfirmed}`);
  }
  for (const part of inParts(freeProofs, ITEMS_AT_ONCE)) {
    const states = await mint.unspentOf(part.map(({ y }) => y));
    for (const [index, { amount }] of part.entries())
      if (states[index] !== 'UNSPENT') problems.push(`a free proof of ${amount} sat is ${states[index]}`);
  }
  return problems;
};

/** Reports held proofs that the mint never signed, and holdings that exceed what the mint has outstanding. */
export const findPhantoms = async (mint: TestMintProcess, held: readonly HeldProof[]): Promise<string[]> => {
  const unspent = new Map<string, HeldProof>();
  for (const part of inParts(held, ITEMS_AT_ONCE)) {
    const states = await mint.unspentOf(part.map(({ y }) => y));
    for (const [index, proof] of part.entries()) if (states[index] !== 'SPENT') unspent.set(proof.y, proof);
  }
  const problems: string[] = [];
  let sum = 0;
  for (const part of inParts([...unspent.values()], ITEMS_AT_ONCE)) {
    const worth = part.reduce((total, { amount }) => total + amount, 0);
    const proofs = part.map(({ id, amount, secret, C }) => ({ id, amount: Amount.from(amount), secret, C }));
    const signed = await mint.unspent([getEncodedToken({ mint: mint.url, unit: 'sat', proofs })]);
    if (signed !== worth) problems.push(`wallets count ${worth} sat, of which the mint signed ${signed}`);
    sum += worth;
  }
  const outstanding = await mint.outstanding();
  if (sum > outstanding) problems.push(`wallets hold ${sum} sat, and the mint has ${outstanding} out`);
  return problems;
};

/** How often to ask a busy wallet again. */
const MOST_BUSY = 60;

/** Sends all that the wallet can pay, in `parts` or more, so that the mint must accept each of its proofs. */
export const takeAllOut = async (
  address: Address,
  parts = 4,
): Promise<{ left: number; problems: string[] }> => {
  const problems: string[] = [];
  const read = async (): Promise<number> => {
    const { balance, held = 0 } = await must(address, { method: 'GET', path: '/api/wallet/balance' });
    return balance - held;
  };
  let left = await read();
  let amount = Math.ceil(left / parts);
  let busyLeft = MOST_BUSY;
  while (amount > 0) {
    // Whatever the fee is.
    const body = { amount, maxFee: left };
    const reply = await ask(address, { method: 'POST', path: '/api/wallet/send', body });
    const code = reply?.body.code;
    if (reply?.status === 201) {
      left = await read();
      amount = Math.min(amount, left);
    } else if (code === 'amount_below_fee') break;
    else if (code === 'insufficient_funds') amount -= Math.max(1, Math.floor(amount / 50));
    else if (code === 'token_too_large') amount = Math.floor(amount / 2);
    // On a busy computer, merging small proofs can take longer than a request.
    else if (code === 'wallet_busy' && busyLeft-- > 0) await sleep(1_000);
    else {
      problems.push(`the wallet cannot pay ${amount} of ${left}: ${JSON.stringify(reply?.body)}`);
      break;
    }
  }
  return { left, problems };
};
