import type { Period } from '../../shared/api/period.ts';
import type { AgentSessions, Usage, UsageGrouping } from '../../shared/api/usage.ts';
import { agentNotFound, rootUnavailable } from '../platform/root.ts';
import { createThread } from '../platform/thread.ts';
import type { SessionsPage } from './list-sessions.ts';
import type { BtcPrice } from './sessions-index.ts';
import type { UsagePrices } from './usage-sums.ts';

/** What the thread of the sessions starts with. */
export interface SessionsThreadData {
  readonly rootPath: string;
  /** The SQLite file of the index, which is created with its directory. */
  readonly databasePath: string;
}

/** What the thread can be asked. */
export type SessionsRequest =
  | { readonly kind: 'usage'; readonly grouping: UsageGrouping; readonly period: Period }
  | { readonly kind: 'sessions'; readonly agent: string; readonly page: SessionsPage };

/** A question to the thread. */
export interface SessionsQuestion {
  readonly request: SessionsRequest;
  readonly prices: UsagePrices;
  /** The BTC prices since the question before, sorted by time. */
  readonly btcPrices: readonly BtcPrice[];
}

/** The thread's answer. */
export type SessionsAnswer = Usage | AgentSessions | 'root missing' | 'agent missing';

/** The prices that usage is converted with. */
export interface SessionsPricing {
  /** The models and their prices. Undefined if there have never been any. */
  models(): Promise<UsagePrices['models'] | undefined>;
  /** The newest BTC price. Undefined if there has never been one. */
  latestBtcPrice(): BtcPrice | undefined;
  /** The BTC prices of the last days after a time, oldest first. */
  btcPricesAfter(afterMs: number): BtcPrice[];
}

/** The service behind the routes of usage and sessions. */
export interface SessionsService {
  /** What the agents spent. Throws `root_unavailable`. */
  usage(grouping: UsageGrouping, period: Period): Promise<Usage>;
  /** A page of an agent's sessions, newest first. Throws `agent_not_found` and `root_unavailable`. */
  list(agent: string, page: SessionsPage): Promise<AgentSessions>;
  close(): Promise<void>;
}

/** Creates the service. Its thread starts with the first question. */
export const createSessionsService = (
  workerUrl: URL,
  workerData: SessionsThreadData,
  pricing: SessionsPricing,
): SessionsService => {
  /** The newest BTC price that the thread knows. */
  let knownUntilMs = 0;
  const thread = createThread<SessionsQuestion, SessionsAnswer>(workerUrl, {
    name: 'sessions',
    workerData,
    onEnd: () => {
      // The next thread knows no BTC prices.
      knownUntilMs = 0;
    },
  });
  const ask = async (request: SessionsRequest): Promise<Exclude<SessionsAnswer, string>> => {
    const models = (await pricing.models()) ?? new Map();
    const latest = pricing.latestBtcPrice();
    const isNew = latest !== undefined && latest.atMs > knownUntilMs;
    const btcPrices = isNew ? pricing.btcPricesAfter(knownUntilMs) : [];
    knownUntilMs = latest?.atMs ?? 0;
    const answer = await thread.ask({ request, prices: { models, btcUsd: latest?.usd }, btcPrices });
    if (answer === 'root missing') throw rootUnavailable();
    if (answer === 'agent missing') throw agentNotFound(request.kind === 'sessions' ? request.agent : '');
    return answer;
  };
  return {
    usage: async (grouping, period) => (await ask({ kind: 'usage', grouping, period })) as Usage,
    list: async (agent, page) => (await ask({ kind: 'sessions', agent, page })) as AgentSessions,
    close: () => thread.close(),
  };
};
