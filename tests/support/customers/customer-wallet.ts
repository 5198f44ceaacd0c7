import {
  getEncodedToken,
  MintOperationError,
  type OutputDataLike,
  type Proof,
  type SendResponse,
  type SwapPreview,
  Wallet,
} from '@cashu/cashu-ts';
import { sumOf } from '../mint/client.ts';
import type { Wait } from './post.ts';

/** What a customer's wallet did, in sats. Amounts are face values, and `fees` is what the mint took from them. */
export interface Books {
  /** What the wallet held at first. */
  start: number;
  /** Tokens that were sent. */
  paid: number;
  /** Tokens received as change. */
  change: number;
  /** Tokens received as refunds, from the refund route or with an error. */
  refunds: number;
  /** Tokens that were sent and that nobody redeemed: swapped back. */
  returned: number;
  fees: number;
}

/** Where a received token is counted. */
export type Received = 'change' | 'refunds' | 'returned';

const MAX_TRIES = 200;
const PAUSE_MS = 50;
/** NUT errors: the proofs are spent, or pending. */
const IS_SPENT = 11001;
const IS_PENDING = 11002;

/** Whether the mint refused a swap because its inputs are spent or pending. */
const isTaken = (error: unknown): boolean =>
  error instanceof MintOperationError && [IS_SPENT, IS_PENDING].includes(error.code);

/** A customer's money: an unmodified cashu-ts wallet and its proofs, in memory. */
export interface CustomerWallet {
  /** A token to send, by cashu-ts's own selection. With `includeFees` its net value is the amount. */
  makeToken(amount: number, includeFees?: boolean): Promise<{ token: string; face: number }>;
  /** Swaps a token for proofs of this wallet, and returns its face value. Throws where the mint refuses. */
  receive(token: string, as: Received): Promise<number>;
  /** Swaps a token back that nobody redeemed. False when somebody did, or is doing so now. */
  takeBack(token: string): Promise<boolean>;
  /** The state of a token at the mint: spent if one of its proofs is. */
  stateOf(token: string): Promise<'unspent' | 'pending' | 'spent'>;
  books(): Books;
  /** What it owns, in sats. Throws unless the mint calls each proof unspent and the books say the same. */
  total(): Promise<number>;
}

/** Opens a wallet at a mint with these tokens. Each swap survives a mint that dies in the middle of it. */
export const openCustomerWallet = async (
  mintUrl: string,
  tokens: readonly string[],
  wait: Wait,
): Promise<CustomerWallet> => {
  const wallet = new Wallet(mintUrl, { unit: 'sat', requireSigDleq: true });
  await wallet.loadMint();
  let proofs: Proof[] = [];
  const books: Books = { start: 0, paid: 0, change: 0, refunds: 0, returned: 0, fees: 0 };

  let lastWork: Promise<unknown> = Promise.resolve();
  /** Nothing else selects proofs meanwhile. */
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = lastWork.then(work);
    lastWork = done.catch(() => undefined);
    return done;
  };

  /** What the mint signed for a swap whose answer was lost (NUT-09). */
  const findSigned = async ({
    keepOutputs = [],
    sendOutputs = [],
    unselectedProofs = [],
    keysetId,
  }: SwapPreview) => {
    const made = [...keepOutputs, ...sendOutputs];
    const { outputs, signatures } = await wallet.mint.restore({
      outputs: made.map(({ blindedMessage }) => blindedMessage),
    });
    if (outputs.length < made.length) return undefined;
    const signedOf = new Map(outputs.map(({ B_ }, at) => [B_, signatures[at]]));
    const toProofs = (data: OutputDataLike[]): Proof[] =>
      data.map((one) => {
        const signature = signedOf.get(one.blindedMessage.B_);
        if (!signature) throw new Error('the mint left out a signature that it made');
        return one.toProof(signature, wallet.getKeyset(keysetId));
      });
    return { keep: [...toProofs(keepOutputs), ...unselectedProofs], send: toProofs(sendOutputs) };
  };

  const completeSwap = async (preview: SwapPreview): Promise<SendResponse> => {
    for (let tries = 1; ; tries++) {
      try {
        return await wallet.completeSwap(preview);
      } catch (error) {
        const isRefusal = error instanceof MintOperationError;
        if (tries === MAX_TRIES || (isRefusal && tries === 1)) throw error;
        // A mint that died may have signed before. While it cannot say so, a refusal proves nothing.
        const signed = await findSigned(preview).catch(() => 'unknown' as const);
        if (typeof signed === 'object') return signed;
        if (isRefusal && error.code !== IS_PENDING && signed !== 'unknown') throw error;
        await wait(PAUSE_MS);
      }
    }
  };

  /** The first half of cashu-ts's `send`: no swap where some of its proofs are worth exactly the amount. */
  const selectExact = (amount: number, includeFees: boolean): SendResponse | undefined => {
    try {
      const selected = wallet.sendOffline(amount, proofs, { includeFees, exactMatch: true });
      return selected.send.length > 0 ? selected : undefined;
    } catch {
      return undefined;
    }
  };

  const swapIn = async (token: string): Promise<{ face: number; received: Proof[] }> => {
    const { mint, unit = 'sat', proofs: inputs } = wallet.decodeToken(token);
    if (mint !== mintUrl || unit !== 'sat') throw new Error('a token of another mint or unit');
    const { keep } = await completeSwap(await wallet.prepareSwapToReceive(token));
    return { face: sumOf(inputs), received: keep };
  };

  const receive = async (token: string, as: Received): Promise<number> => {
    const { face, received } = await swapIn(token);
    proofs.push(...received);
    books[as] += face;
    books.fees += face - sumOf(received);
    return face;
  };

  for (const token of tokens) proofs.push(...(await swapIn(token)).received);
  books.start = sumOf(proofs);

  return {
    receive,
    makeToken: (amount, includeFees = false) =>
      alone(async () => {
        const held = [...proofs];
        const { keep, send } =
          selectExact(amount, includeFees) ??
          (await completeSwap(await wallet.prepareSwapToSend(amount, held, { includeFees })));
        const face = sumOf(send);
        // Proofs that arrived during the swap.
        const arrived = proofs.slice(held.length);
        books.paid += face;
        books.fees += sumOf(held) - sumOf(keep) - face;
        proofs = [...keep, ...arrived];
        return { token: getEncodedToken({ mint: mintUrl, unit: 'sat', proofs: send }), face };
      }),
    takeBack: (token) =>
      receive(token, 'returned').then(
        () => true,
        (error: unknown) => {
          if (isTaken(error)) return false;
          throw error;
        },
      ),
    stateOf: async (token) => {
      const states = await wallet.checkProofsStates(wallet.decodeToken(token).proofs);
      if (states.some(({ state }) => state === 'SPENT')) return 'spent';
      return states.some(({ state }) => state === 'PENDING') ? 'pending' : 'unspent';
    },
    books: () => ({ ...books }),
    total: () =>
      alone(async () => {
        const { start, paid, change, refunds, returned, fees } = books;
        const held = sumOf(proofs);
        const states = await wallet.checkProofsStates([...proofs]);
        const lost = states.filter(({ state }) => state !== 'UNSPENT').length;
        if (lost > 0) throw new Error(`${lost} of ${states.length} proofs of the customer are not unspent`);
        const expected = start - paid + change + refunds + returned - fees;
        if (held !== expected)
          throw new Error(`the customer holds ${held} sat, and its books say ${expected}`);
        return held;
      }),
  };
};
