import {
  type InspectedToken,
  type Mint,
  MintError,
  type ProofState,
  type RefusedToken,
  type TokenDescription,
} from '../mint/mint.ts';
import type { Operation, Taken } from '../store/operation.ts';
import type { WalletStore } from '../store/wallet-store.ts';

/** Nutshell's and cdk's limit, used until the mint states its own. */
const MOST_INPUTS = 1_000;

const FEWEST_INPUTS = 2;

const INPUT_LIMIT = 'most_inputs';

/** Returns the known limit for the mint's inputs in one swap. */
export const inputLimit = (store: Pick<WalletStore, 'metadata'>): number =>
  Number(store.metadata.get(INPUT_LIMIT) ?? MOST_INPUTS);

/** Returns the limit for a token that the wallet may have redeemed before the mint lowered its own. */
export const redeemedLimit = (store: Pick<WalletStore, 'metadata'>): number =>
  Math.max(MOST_INPUTS, inputLimit(store));

/**
 * Stores the limit that the mint `named` when it refused `refused` inputs. An unstated limit stays unknown, because a
 * strange token must not shrink every later send.
 */
export const rememberInputLimit = (
  store: Pick<WalletStore, 'metadata'>,
  refused: number,
  named: number | undefined,
): void => {
  if (named === undefined || named >= refused) return;
  store.metadata.set(INPUT_LIMIT, String(Math.max(named, FEWEST_INPUTS)));
};

/** Returns the size to try next, if the mint refused an operation's size without stating its limit. */
export const smallerThan = (operation: Operation): number => {
  const inputs = 'plan' in operation ? (operation.plan?.inputs.length ?? 0) : 0;
  return Math.max(Math.floor(inputs / 2), FEWEST_INPUTS);
};

/** The facts about a token in our own database. */
interface KnownToken {
  description: TokenDescription;
  /** The Ys of the token's proofs, in the same order. */
  ys: string[];
  /** What took one of its proofs in this wallet. */
  own: Taken | undefined;
}

/** A token that the wallet must not receive, whatever the states of its proofs. */
export interface RefusedReading extends RefusedToken {
  kind: 'refused';
  /** The limit for a token's proofs. */
  limit: number;
}

/** A token that can't be opened now, because its keysets are unknown and the mint is unreachable. */
interface UnopenedReading extends KnownToken {
  kind: 'unopened';
  error: MintError;
}

/** A token that the wallet can receive, unless it's spent or below its fee. */
export interface OpenedReading extends KnownToken, InspectedToken {
  kind: 'opened';
  /** Fetches the states of the token's proofs from the mint, in the same order. */
  states(): Promise<ProofState[]>;
}

type TokenReading = RefusedReading | UnopenedReading | OpenedReading;

/**
 * Reads a token for a validation, a receive or a reclaim. Contacts the mint only about unknown keysets. Refuses a
 * token with more than `mostProofs`, by default the mint's limit for inputs.
 */
export const readToken = async (
  { mint, store }: { mint: Mint; store: WalletStore },
  text: string,
  mostProofs: number = inputLimit(store),
): Promise<TokenReading> => {
  let inspected: RefusedToken | InspectedToken;
  try {
    inspected = await mint.inspect(text, mostProofs);
  } catch (error) {
    if (!(error instanceof MintError)) throw error;
    const { description, ys } = await mint.describe(text, mostProofs);
    if (!ys) return { kind: 'refused', description, refusal: 'too_large', limit: mostProofs };
    return { kind: 'unopened', description, ys, own: store.operations.ofInput(ys), error };
  }
  if ('refusal' in inspected) return { kind: 'refused', ...inspected, limit: mostProofs };
  const ys = inspected.opened.proofs.map(({ y }) => y);
  return {
    kind: 'opened',
    ...inspected,
    ys,
    own: store.operations.ofInput(ys),
    states: () => mint.states(ys),
  };
};
