import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query';
import { type EarningsGrouping, getEarnings } from '../../../shared/api/earnings.ts';
import type { EventData } from '../../../shared/api/events.ts';
import { listLastRuns } from '../../../shared/api/usage.ts';
import {
  getBalance,
  getBalanceHistory,
  getMint,
  getOperation,
  listHistory,
  listTestTokens,
  validateToken,
} from '../../../shared/api/wallet.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

/** Queries the wallet's balance. */
export const balanceQuery = () =>
  queryOptions({ queryKey: keys.walletBalance, queryFn: ({ signal }) => call(getBalance, {}, signal) });

/** Queries the balance at the end of each of the last seven days, and now. */
export const balanceHistoryQuery = () =>
  queryOptions({
    queryKey: keys.walletBalanceHistory,
    queryFn: async ({ signal }) => (await call(getBalanceHistory, { query: {} }, signal)).points,
  });

// Events report nearly every model call. They miss sessions that aren't watched: old ones, those outside the root, and
// those on some file systems.
const EARNINGS_INTERVAL_MS = 60_000;
/** The interval while session files are still being read. */
const READING_INTERVAL_MS = 1_500;

const nextRead = ({
  state,
}: {
  readonly state: { readonly data?: { readonly reading: boolean } | undefined };
}) => (state.data?.reading ? READING_INTERVAL_MS : EARNINGS_INTERVAL_MS);

/** Queries earnings and spending since an ISO 8601 time, by agent or by day. */
export const earningsQuery = (from: string, groupBy: EarningsGrouping) =>
  queryOptions({
    queryKey: [...keys.earnings, groupBy, from],
    queryFn: ({ signal }) => call(getEarnings, { query: { from, groupBy } }, signal),
    refetchInterval: nextRead,
  });

/** Queries the number of payments an agent has received. */
export const paymentsQuery = (agent: string) =>
  queryOptions({
    queryKey: [...keys.earnings, 'payments', agent],
    queryFn: async ({ signal }) => (await call(getEarnings, { query: { agent } }, signal)).total.payments,
  });

/** Queries when each agent last ran. */
export const lastRunsQuery = () =>
  queryOptions({
    queryKey: [...keys.earnings, 'last-runs'],
    queryFn: ({ signal }) => call(listLastRuns, {}, signal),
    refetchInterval: nextRead,
  });

// Events don't report whether the mint is up. The server queries the mint at most every 15 s.
const MINT_INTERVAL_MS = 30_000;

/** Queries the mint's status. */
export const mintQuery = () =>
  queryOptions({
    queryKey: keys.walletMint,
    queryFn: ({ signal }) => call(getMint, {}, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'simulated' ? false : MINT_INTERVAL_MS),
  });

// Events don't report that a token was redeemed. Reading the history queries the mint at most once a minute.
const REDEEMED_INTERVAL_MS = 20_000;

/**
 * Makes the server query the mint about redeemed tokens. The server reports them as wallet events, so only the first
 * page is read, no matter how many pages are shown.
 */
export const redeemedQuery = () =>
  queryOptions({
    queryKey: keys.walletRedeemed,
    queryFn: async ({ signal }) => (await call(listHistory, { query: {} }, signal)).entries.length,
    refetchInterval: REDEEMED_INTERVAL_MS,
  });

/** Queries the wallet's operations, newest first, page by page. */
export const historyQuery = () =>
  infiniteQueryOptions({
    queryKey: keys.walletHistory,
    queryFn: ({ signal, pageParam }) => call(listHistory, { query: { cursor: pageParam } }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

// The server refuses this read while the send is running, and no event reports a failed send.
const UNSURE_INTERVAL_MS = 2_000;

/**
 * Queries the send that a request with this Idempotency-Key started, or null. Refetched until the outcome is known.
 * SECURITY: a token is money, so the cache drops it once nothing shows it.
 */
export const sendByKeyQuery = (key: string) =>
  queryOptions({
    queryKey: keys.walletSend(key),
    queryFn: async ({ signal }) =>
      (await call(listHistory, { query: { sendKey: key } }, signal)).entries[0] ?? null,
    refetchInterval: ({ state }) => (state.data === undefined ? UNSURE_INTERVAL_MS : false),
    staleTime: 0,
    gcTime: 0,
  });

/** A restore's or rescan's progress. Null while none is running. */
export type SearchProgress = NonNullable<EventData<'wallet'>['restore']> | null;

/** The progress of a restore or rescan, as the last wallet event reported it. Never fetched. */
export const searchProgressQuery = () =>
  queryOptions<SearchProgress>({ queryKey: keys.walletSearch, queryFn: skipToken });

/** Queries the tokens that were received as test money and may be real. */
export const testTokensQuery = () =>
  queryOptions({
    queryKey: keys.walletTestTokens,
    queryFn: async ({ signal }) => (await call(listTestTokens, {}, signal)).tokens,
  });

/** Queries one of the wallet's operations. */
export const operationQuery = (operationId: string) =>
  queryOptions({
    queryKey: keys.walletOperation(operationId),
    queryFn: ({ signal }) => call(getOperation, { params: { operationId } }, signal),
  });

/** Checks a token before a receive. SECURITY: a token is money, so the cache drops it once nothing shows it. */
export const tokenCheckQuery = (token: string) =>
  queryOptions({
    queryKey: keys.tokenCheck(token),
    queryFn: ({ signal }) => call(validateToken, { body: { token } }, signal),
    gcTime: 0,
  });
