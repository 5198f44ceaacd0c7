import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dropTestToken, redeemTestToken, type TestTokens } from '../../../../../shared/api/wallet.ts';
import { ApiError, call } from '../../../api/client.ts';
import { after } from '../../../api/invalidations.ts';
import { testTokensQuery } from '../../../api/wallet-queries.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { reportFailure } from '../../../ui/failures.tsx';
import { notify } from '../../../ui/toast.tsx';

/** A token that was received as test money. */
export type TestToken = TestTokens['tokens'][number];

/** The tokens that were received as test money and may be real, and the actions on them. */
export interface TestTokenList {
  readonly tokens: readonly TestToken[];
  /** Why a listed token wasn't redeemed, by token id. */
  readonly failures: Readonly<Record<string, ApiError>>;
  /** Tokens that are being redeemed. */
  readonly redeemingIds: readonly string[];
  readonly redeem: (tokens: readonly TestToken[]) => void;
  readonly drop: (token: TestToken) => void;
}

/** The result of redeeming several tokens. */
interface Redeemed {
  readonly amount: number;
  readonly fee: number;
  readonly failures: Readonly<Record<string, ApiError>>;
}

/** Redeems tokens one at a time, because each one queries the mint. */
const redeemAll = async (tokens: readonly TestToken[]): Promise<Redeemed> => {
  let [amount, fee] = [0, 0];
  const failures: Record<string, ApiError> = {};
  for (const { id } of tokens) {
    try {
      const redeemed = await call(redeemTestToken, { params: { tokenId: id } });
      amount += redeemed.amount;
      fee += redeemed.fee;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failures[id] = error;
    }
  }
  return { amount, fee, failures };
};

const report = (tokens: readonly TestToken[], { amount, fee, failures }: Redeemed): void => {
  const failed = tokens.filter(({ id }) => failures[id]);
  const [first] = failed;
  if (tokens.length > 1)
    notify(words.testTokens.redeemedSome(tokens.length - failed.length, tokens.length, amount));
  else if (first) reportFailure(words.testTokens.failed(first.amount), failures[first.id]);
  else notify(words.testTokens.redeemed(amount, fee));
};

/** Loads the list, which only the operator can see. */
export const useTestTokens = (): TestTokenList => {
  const { data: tokens = [] } = useQuery(testTokensQuery());
  const [failures, setFailures] = useState<Readonly<Record<string, ApiError>>>({});
  const redeem = useMutation({
    mutationFn: redeemAll,
    onSuccess: (redeemed, redeeming) => {
      const others = Object.entries(failures).filter(([id]) => !redeeming.some((token) => token.id === id));
      setFailures({ ...Object.fromEntries(others), ...redeemed.failures });
      report(redeeming, redeemed);
    },
    meta: { refresh: after.wallet() },
  });
  const drop = useMutation({
    mutationFn: ({ id }: TestToken) => call(dropTestToken, { params: { tokenId: id } }),
    onSuccess: () => notify(words.testTokens.dropped),
    onError: (error: ApiError) => reportFailure(words.testTokens.dropFailed, error),
    meta: { refresh: after.wallet() },
  });
  return {
    tokens,
    failures,
    redeemingIds: redeem.isPending ? redeem.variables.map(({ id }) => id) : [],
    redeem: (redeeming) => !redeem.isPending && redeem.mutate(redeeming),
    drop: drop.mutate,
  };
};
