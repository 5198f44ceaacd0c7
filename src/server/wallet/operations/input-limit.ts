import type { Operation } from '../store/operation.ts';
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
