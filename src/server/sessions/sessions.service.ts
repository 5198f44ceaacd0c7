import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Period } from '../../shared/api/fields.ts';
import type { AgentSessions, SessionTranscript } from '../../shared/api/sessions.ts';
import type { LastRuns, Usage, UsageGrouping } from '../../shared/api/usage.ts';
import type { Base } from '../feature.ts';
import { SESSIONS_WORKER_URL } from '../locations.ts';
import { agentNotFound } from '../platform/agent-directory.ts';
import { AppError } from '../platform/app-error.ts';
import type { ChangeCosts, ChangeTimes } from '../platform/changes.ts';
import { ClientGoneError, currentAsker, currentRequest } from '../platform/current-request.ts';
import { rootUnavailable } from '../platform/root.ts';
import { createThread } from '../platform/thread.ts';
import { createWorkTurns } from '../platform/work-turns.ts';
import type { SessionDirectory } from './find-sessions.ts';
import type { SessionsPage } from './list-sessions.ts';
import type { BtcPriceAt } from './nearest-btc-price.ts';
import type { TranscriptPage } from './transcript.ts';
import { MAX_KNOWN_ROWS, type UsageQuery } from './usage-rows.ts';
import type { UsagePrices } from './usage-sums.ts';

/** The sessions thread's startup data. */
export interface SessionsThreadData {
  readonly rootPath: string;
  /** The index's SQLite file, which is created with its directory. */
  readonly databasePath: string;
  readonly homeDirectory: string;
  /** The directories that the settings name. */
  readonly directories: readonly SessionDirectory[];
  /** The directory of the agents for sale, see {@link createSessionFinder}. */
  readonly soldDirectory: string;
  /** The directory where the thread's watch creates its markers. */
  readonly markerPath: string;
}

/** A session, or an agent's copy of it. */
export interface SessionRef {
  readonly id: string;
  readonly agent?: string | undefined;
}

/** The location of a session. */
export interface SessionPlace {
  readonly id: string;
  readonly agent: string;
  readonly path: string;
  readonly cwd: string | undefined;
  readonly name: string | undefined;
  /** True if it's of a run for a customer. */
  readonly isOfSale: boolean;
}

/** The requests that the thread handles. */
type SessionsRequest =
  | { readonly kind: 'usage'; readonly query: UsageQuery; readonly isKnown: boolean }
  | { readonly kind: 'lastRuns' }
  | ({ readonly kind: 'costsBetween'; readonly agent: string } & ChangeTimes)
  | { readonly kind: 'sessions'; readonly agent: string; readonly page: SessionsPage }
  | { readonly kind: 'transcript'; readonly ref: SessionRef; readonly page: TranscriptPage }
  | { readonly kind: 'place'; readonly ref: SessionRef }
  | { readonly kind: 'subscriptions'; readonly agent: string };

/** A request to the thread. */
export interface SessionsQuestion {
  readonly request: SessionsRequest;
  /** Undefined if unchanged since the last request. */
  readonly prices: UsagePrices | undefined;
  /** The BTC prices since the last request, sorted by time. */
  readonly btcPrices: readonly BtcPriceAt[];
}

/** The thread's response. */
export type SessionsResponse =
  | Usage
  /** The usage hasn't changed since the last response to this query. */
  | 'same'
  | LastRuns
  | ChangeCosts
  | AgentSessions
  | SessionTranscript
  | SessionPlace
  /** The providers whose calls a subscription covers. */
  | readonly string[]
  | 'root missing'
  | 'agent missing'
  | 'session missing'
  | 'session changed'
  | 'session unreadable';

/** The prices that convert usage into costs. */
interface SessionsPricing {
  /** Returns the models and their prices. Undefined if no valid version was ever read. */
  models(): Promise<UsagePrices['models'] | undefined>;
  /** Returns the newest BTC price. Undefined if there was never one. */
  latestBtcPrice(): BtcPriceAt | undefined;
  /** Returns the recorded BTC prices after a time, oldest first. */
  btcPricesAfter(afterMs: number): BtcPriceAt[];
  /** Returns whether the operator chose to count calls that a subscription covers. */
  countsSubscriptions(): Promise<boolean>;
}

/** The service behind the usage and session routes. */
export interface SessionsService {
  /** Returns the spending of all agents, or of one. Throws `root_unavailable`. */
  usage(grouping: UsageGrouping, period: Period, agent?: string): Promise<Usage>;
  /** Returns the spending of all agents by agent, also with calls that a subscription covers. Throws `root_unavailable`. */
  usageWithCovered(period: Period): Promise<Usage>;
  /** Returns when each agent last ran. Throws `root_unavailable`. */
  lastRuns(): Promise<LastRuns>;
  /** Adds up an agent's sessions between its changes, each where it began. Throws `root_unavailable`. */
  costsBetween(agent: string, times: ChangeTimes): Promise<ChangeCosts>;
  /** Returns a page of an agent's sessions, newest first. Throws `agent_not_found` and `root_unavailable`. */
  list(agent: string, page: SessionsPage): Promise<AgentSessions>;
  /**
   * Returns a page of a session's transcript. Throws `session_not_found`, `session_changed` and `root_unavailable`.
   */
  transcript(ref: SessionRef, page: TranscriptPage): Promise<SessionTranscript>;
  /** Returns where a session is stored. Throws `session_not_found` and `root_unavailable`. */
  place(ref: SessionRef): Promise<SessionPlace>;
  /** Returns the providers that an agent is signed in to with a subscription. Throws `root_unavailable`. */
  subscriptions(agent: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Throws the error that the thread's response represents. */
const requireResponse = (
  response: SessionsResponse,
  request: SessionsRequest,
): Exclude<SessionsResponse, string> => {
  switch (response) {
    case 'root missing':
      throw rootUnavailable();
    case 'agent missing':
      throw agentNotFound(request.kind === 'sessions' ? request.agent : '');
    case 'session missing':
      throw new AppError('session_not_found', 'There is no such session, or its file was deleted.').withHint({
        route: 'GET /api/agents/:id/sessions',
        text: 'GET /api/agents/:id/sessions lists an agent’s sessions.',
      });
    case 'session changed':
      throw new AppError(
        'session_changed',
        'This session’s file was replaced after you got this cursor. Start again without a cursor.',
      );
    case 'session unreadable':
      throw new AppError(
        'permission_denied',
        'The operating system denied access to this session’s file. Check its owner and mode.',
      );
    case 'same':
      throw new Error('the sessions thread sent no usage');
    default:
      return response;
  }
};

const NO_MODELS: UsagePrices['models'] = new Map();

/**
 * Creates the service. Its thread starts with the first request, and stores its index in `data/sessions`. The usage
 * and session routes share it.
 */
export const createSessionsService = (
  { config, root, soldDirectory }: Pick<Base, 'config' | 'root'> & { soldDirectory: string },
  pricing: SessionsPricing,
): SessionsService => {
  const dataIn = (...names: string[]) => join(config.dataDirectory, 'data', ...names);
  /** The time of the newest BTC price that the thread knows. */
  let knownUntilMs = 0;
  let knownPrices: UsagePrices | undefined;
  /** The thread's last response to each query. */
  const usages = new LRUCache<string, Usage>({ max: MAX_KNOWN_ROWS });
  const thread = createThread<SessionsQuestion, SessionsResponse>(SESSIONS_WORKER_URL, {
    name: 'sessions',
    workerData: {
      rootPath: root.path,
      databasePath: dataIn('sessions', `${root.id}.sqlite`),
      homeDirectory: config.homeDirectory,
      directories: config.sessionDirectories,
      soldDirectory,
      markerPath: dataIn('watch', 'sessions'),
    } satisfies SessionsThreadData,
    onEnd: () => {
      // The next thread starts without this thread's state.
      knownUntilMs = 0;
      knownPrices = undefined;
      usages.clear();
    },
  });
  const turns = createWorkTurns();
  /** Asks the thread at once, so that it gets each price before a later question. */
  const askNow = async (request: SessionsRequest): Promise<SessionsResponse> => {
    const [models = NO_MODELS, countsSubscriptions] = await Promise.all([
      pricing.models(),
      pricing.countsSubscriptions(),
    ]);
    const latest = pricing.latestBtcPrice();
    const isNew = latest !== undefined && latest.atMs > knownUntilMs;
    const btcPrices = isNew ? pricing.btcPricesAfter(knownUntilMs) : [];
    knownUntilMs = latest?.atMs ?? 0;
    const btcUsd = latest?.usd;
    const isSame =
      knownPrices?.models === models &&
      knownPrices.btcUsd === btcUsd &&
      knownPrices.countsSubscriptions === countsSubscriptions;
    if (!isSame) knownPrices = { models, btcUsd, countsSubscriptions };
    return thread.ask({ request, prices: isSame ? undefined : knownPrices, btcPrices });
  };
  const askThread = (request: SessionsRequest) => {
    const current = currentRequest();
    return turns.run(currentAsker(), async () => {
      if (current?.isRead && current.isGone()) throw new ClientGoneError();
      return askNow(request);
    });
  };
  const send = async (request: SessionsRequest) => requireResponse(await askThread(request), request);
  const readUsage = async (query: UsageQuery): Promise<Usage> => {
    const key = JSON.stringify(query);
    const request = { kind: 'usage', query, isKnown: usages.has(key) } as const;
    let response = await askThread(request);
    if (response === 'same') {
      const known = usages.get(key);
      if (known) return known;
      // Other queries evicted this usage from the cache in the meantime.
      response = await askThread({ ...request, isKnown: false });
    }
    // Frozen, so that it's validated and serialized only once.
    const usage = Object.freeze(requireResponse(response, request) as Usage);
    usages.set(key, usage);
    return usage;
  };
  return {
    usage: (grouping, period, agent) => readUsage({ ...period, grouping, agent }),
    usageWithCovered: (period) =>
      readUsage({ ...period, grouping: 'agent', agent: undefined, isWithCovered: true }),
    lastRuns: async () => (await send({ kind: 'lastRuns' })) as LastRuns,
    costsBetween: async (agent, times) =>
      (await send({ kind: 'costsBetween', agent, ...times })) as ChangeCosts,
    list: async (agent, page) => (await send({ kind: 'sessions', agent, page })) as AgentSessions,
    transcript: async (ref, page) => (await send({ kind: 'transcript', ref, page })) as SessionTranscript,
    subscriptions: async (agent) => (await send({ kind: 'subscriptions', agent })) as readonly string[],
    place: async (ref) => (await send({ kind: 'place', ref })) as SessionPlace,
    close: () => thread.close(),
  };
};
