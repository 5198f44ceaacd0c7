import { Amount, getDecodedToken, getEncodedToken } from '@cashu/cashu-ts';
import type { Output } from '../../src/server/wallet/mint/mint.ts';
import { askMint } from '../support/mint/client.ts';
import type { Totals } from '../support/mint/store.ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';
import { type Address, ask, type Entry, must } from './ask.ts';
import type { Promises } from './clients.ts';
import { type HeldProof, secretOf, yOf } from './leftovers.ts';

/** The sums of a run. `difference` must be 0. */
export interface Sums {
  balance: number;
  /** What the wallet holds on keysets that expired. */
  expired: number;
  /** Of sent tokens that nobody redeemed. */
  sentUnspent: number;
  /** Of tokens given by clients, and of others that the history does not tell. */
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
  const { balance, expired = 0 } = await must(address, { method: 'GET', path: '/api/wallet/balance' });
  const sent = history.flatMap(({ token }) => (token === undefined ? [] : [token]));
  const sentUnspent = await unspentOf(mint, sent);
  const givenUnspent = await unspentOf(
    mint,
    given.map(({ text }) => text),
  );
  const { issued, melted, fees } = await mint.totals();
  const difference = issued - melted - fees - givenUnspent - sentUnspent - balance - expired;
  return { balance, expired, sentUnspent, givenUnspent, fees, issued, melted, difference };
};

/** What an entry of the history did to the balance. */
export const effectOf = ({ kind, state, amount, fee }: Entry): number => {
  if (state !== 'completed') return 0;
  if (kind === 'send') return -amount - fee;
  if (kind === 'spent_elsewhere') return -amount;
  return kind === 'swap' ? -fee : amount;
};

/**
 * What the history and what clients were told have to say of each other; empty when all is well. `balance` includes expired sats.
 * With `lives`, promises of other lives may be forgotten: the data were put back, or are those of another copy.
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

/** Tokens whose sats are neither theirs any more nor ours: where to look when the sums differ. */
export const findLost = async (
  mint: TestMintProcess,
  history: readonly Entry[],
  { given }: Promises,
): Promise<string[]> => {
  const received = new Set(history.filter(({ state }) => state === 'completed').map(({ memo }) => memo));
  const lost: string[] = [];
  for (const { name, text, worth, accepted } of given) {
    // One that paid may be forgotten: then its sats are of the kind `recovered`.
    if (worth !== 'good' || received.has(name) || accepted.size > 0) continue;
    if (!(await mint.states(text)).includes('SPENT')) continue;
    const tries = history.filter(({ memo }) => memo === name).map(({ error }) => error?.code);
    lost.push(`${name} is spent, and no receive of it completed (${tries.join(', ')})`);
  }
  return lost;
};

/** Tokens of those proofs that are in none of the tokens before, and not in `known`, which grows by them. */
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

/** A mint answers for so many outputs and Ys at once. */
const ITEMS_AT_ONCE = 500;

/**
 * Sats that left in tokens whose text nobody saw before the data were put back. They are unspent at the mint, and only the data
 * that were removed could name them. `known` are secrets that are counted elsewhere.
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

/** Says which wallets hold proofs that the mint never signed, and whether they hold more than the mint has out. */
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
