import type { AgentSession, AgentSessions } from '../../shared/api/sessions.ts';
import type { LastRuns } from '../../shared/api/usage.ts';
import { SATS_PER_BTC } from '../../shared/sats.ts';
import type { ChangeCosts, ChangeTimes } from '../platform/changes.ts';
import { completenessOf } from '../platform/completeness.ts';
import type { AgentTerms } from './agent-terms.ts';
import type { SessionsRead } from './sessions-index.ts';
import type { SessionFile } from './sessions-store.ts';
import { addUpUsage, costOf, createEstimate, type UsagePrices } from './usage-sums.ts';

/** A page of an agent's sessions. */
export interface SessionsPage {
  /** The previous page's `nextCursor`. */
  readonly cursor: string | undefined;
  readonly limit: number;
  readonly search?: string | undefined;
}

/** What the sessions of one version of an agent add up to so far. */
interface Cost {
  sessions: number;
  failedSessions: number;
  sats: number | null;
}

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

const sessionCursor = ({ endedAtMs, id }: SessionFile): string => `${endedAtMs ?? 0}.${id}`;

/** Sorts newest first. Ids break ties between sessions that ended at the same time. */
const byEnd = (a: SessionFile, b: SessionFile): number =>
  (b.endedAtMs ?? 0) - (a.endedAtMs ?? 0) || b.id - a.id;

const isAfter = (file: SessionFile, cursor: string): boolean => {
  const [endedAtMs = 0, id = 0] = cursor.split('.').map(Number);
  return (file.endedAtMs ?? 0) < endedAtMs || ((file.endedAtMs ?? 0) === endedAtMs && file.id < id);
};

/** Returns whether each word occurs in a session's visible fields. */
const matches = (
  { name, firstMessage, sessionId, cwd, models }: SessionFile,
  words: readonly string[],
): boolean => {
  const text = [
    name,
    firstMessage,
    sessionId,
    cwd,
    ...models.map(({ provider, model }) => `${provider}/${model}`),
  ]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
};

/** pi names a session's file `<time>_<id>.jsonl`. */
const idInPath = (path: string): string | undefined => /_([^_/\\]+)\.jsonl$/.exec(path)?.[1];

/** Converts a session for the routes. */
export const toSession = (
  file: SessionFile,
  prices: UsagePrices,
  terms: AgentTerms,
  btcUsdAt: (atMs: number) => number | undefined,
  isOfSale: boolean,
): AgentSession => {
  const estimate = createEstimate(prices);
  let estimated = 0;
  for (const { provider, model, requests } of file.models) {
    for (const own of requests) {
      const price = estimate.add({ provider, model, ...own }, terms);
      if (price) estimated += costOf(price, own);
    }
  }
  const usdEstimated = estimate.isUnknown() ? null : estimated;
  const btcUsd = (file.endedAtMs === undefined ? undefined : btcUsdAt(file.endedAtMs)) ?? prices.btcUsd;
  const forkOf = file.parentSession === undefined ? undefined : idInPath(file.parentSession);
  return {
    id: file.sessionId ?? '',
    name: file.name ?? null,
    ...(file.firstMessage === undefined ? {} : { firstMessage: file.firstMessage }),
    startedAt: iso(file.startedAtMs),
    endedAt: iso(file.endedAtMs),
    cwd: file.cwd ?? null,
    models: file.models.flatMap(({ provider, model }) =>
      model === '' ? [] : provider === '' ? model : `${provider}/${model}`,
    ),
    calls: file.calls,
    errors: file.errors,
    tokens: file.tokens,
    usdRecorded: file.usd,
    usdEstimated,
    unpricedTokens: estimate.unpricedTokens(),
    sats:
      btcUsd === undefined || (usdEstimated === null && file.usd === 0)
        ? null
        : ((file.usd + (usdEstimated ?? 0)) * SATS_PER_BTC) / btcUsd,
    ...(forkOf === undefined ? {} : { forkOf }),
    ...(isOfSale ? { ofSale: true as const } : {}),
  };
};

/** Returns a page of an agent's sessions, newest first. */
export const sessionsPage = (
  read: SessionsRead,
  agent: string,
  { cursor, limit, search = '' }: SessionsPage,
  prices: UsagePrices,
  btcUsdAt: (atMs: number) => number | undefined,
): AgentSessions => {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const sorted = read
    .sessionsOf(agent)
    .filter((file) => matches(file, words))
    .sort(byEnd);
  const rest = cursor === undefined ? sorted : sorted.filter((file) => isAfter(file, cursor));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    sessions: page.map((file) =>
      toSession(file, prices, read.termsOf(agent), btcUsdAt, read.isOfSale(file.path)),
    ),
    ...(last && rest.length > limit ? { nextCursor: sessionCursor(last) } : {}),
    ...completenessOf(agent, [read.completeness]),
  };
};

/** Adds up an agent's sessions between its changes. Each counts where it began, and once even if it was copied. */
export const costsBetween = (
  { everRead, sums, terms, completeness }: SessionsRead,
  agent: string,
  { fromMs, toMs = Number.POSITIVE_INFINITY }: ChangeTimes,
  prices: UsagePrices,
  lengths: readonly number[],
): ChangeCosts => {
  const own = completenessOf(agent, [completeness]);
  const begunAtMs = new Map<string, number>();
  for (const { agent: owner, sessionId, startedAtMs } of everRead()) {
    if (owner !== agent || sessionId === undefined || startedAtMs === undefined) continue;
    begunAtMs.set(sessionId, Math.min(startedAtMs, begunAtMs.get(sessionId) ?? startedAtMs));
  }
  const rows = sums({ grouping: 'session', agent, fromMs: undefined, toMs: undefined, lengths });
  const costs = fromMs.map((): Cost => ({ sessions: 0, failedSessions: 0, sats: own.notCounted ? null : 0 }));
  for (const { key, errors, satsRecorded, satsEstimated, unpricedTokens } of addUpUsage(rows, prices, terms)
    .groups) {
    const atMs = begunAtMs.get(key);
    const cost =
      atMs === undefined || atMs >= toMs ? undefined : costs[fromMs.findLastIndex((from) => from <= atMs)];
    if (!cost) continue;
    const isKnown = satsRecorded !== null && satsEstimated !== null && unpricedTokens === 0;
    cost.sessions++;
    if (errors > 0) cost.failedSessions++;
    cost.sats = cost.sats === null || !isKnown ? null : cost.sats + satsRecorded + satsEstimated;
  }
  return {
    ...own,
    costs: costs.map((cost) => ({
      ...cost,
      satsPerSession: cost.sats === null || cost.sessions === 0 ? null : cost.sats / cost.sessions,
    })),
  };
};

/** Returns the newest time in any session of each agent. */
export const lastRunsOf = ({ everRead, completeness }: SessionsRead): LastRuns => {
  const runs = new Map<string, number>();
  for (const { agent, endedAtMs = 0 } of everRead())
    if (endedAtMs > (runs.get(agent) ?? 0)) runs.set(agent, endedAtMs);
  const agents = [...runs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, atMs]) => ({ id, lastRunAt: new Date(atMs).toISOString() }));
  return { agents, ...completeness };
};
