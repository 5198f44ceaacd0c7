import type { Usage, UsageGrouping } from '../../shared/api/usage.ts';
import { rootUnavailable } from '../platform/root.ts';
import { createThread } from '../platform/thread.ts';
import type { Rate } from './sessions-index.ts';
import type { UsagePeriod } from './sessions-store.ts';
import type { UsagePrices } from './usage-sums.ts';

/** What the thread of the sessions starts with. */
export interface SessionsThreadData {
  readonly rootPath: string;
  /** The SQLite file of the index, which is created with its directory. */
  readonly databasePath: string;
}

/** A question to the thread. */
export interface SessionsQuestion {
  readonly grouping: UsageGrouping;
  readonly period: UsagePeriod;
  readonly prices: UsagePrices;
  /** The BTC prices since the question before, sorted by time. */
  readonly rates: readonly Rate[];
}

/** The thread's answer. */
export type SessionsAnswer = Usage | 'root missing';

/** The prices that usage is converted with. */
export interface SessionsPricing {
  /** The models and their prices. Undefined if there have never been any. */
  models(): Promise<UsagePrices['models'] | undefined>;
  /** The BTC prices of the last days after a time, oldest first. */
  rates(afterMs: number): Rate[];
}

/** The service behind the usage route. */
export interface SessionsService {
  /** What the agents spent. Throws `root_unavailable`. */
  usage(grouping: UsageGrouping, period: UsagePeriod): Promise<Usage>;
  close(): Promise<void>;
}

/** Creates the service. Its thread starts with the first question. */
export const createSessionsService = (
  workerUrl: URL,
  workerData: SessionsThreadData,
  pricing: SessionsPricing,
): SessionsService => {
  let lastRateMs = 0;
  const thread = createThread<SessionsQuestion, SessionsAnswer>(workerUrl, {
    name: 'sessions',
    workerData,
    onEnd: () => {
      // The next thread knows no rates.
      lastRateMs = 0;
    },
  });
  return {
    async usage(grouping, period) {
      const models = (await pricing.models()) ?? new Map();
      const rates = pricing.rates(lastRateMs);
      const latest = rates.at(-1) ?? pricing.rates(0).at(-1);
      lastRateMs = latest?.atMs ?? 0;
      const prices = { models, btcUsd: latest?.usd };
      const answer = await thread.ask({ grouping, period, prices, rates });
      if (answer === 'root missing') throw rootUnavailable();
      return answer;
    },
    close: () => thread.close(),
  };
};
