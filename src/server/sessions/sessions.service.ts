import type { Period } from '../../shared/api/period.ts';
import type { SessionTranscript } from '../../shared/api/sessions.ts';
import type { AgentSessions, Usage, UsageGrouping } from '../../shared/api/usage.ts';
import { AppError } from '../platform/app-error.ts';
import { agentNotFound, rootUnavailable } from '../platform/root.ts';
import { createThread } from '../platform/thread.ts';
import type { SessionDirectory } from './find-sessions.ts';
import type { SessionsPage } from './list-sessions.ts';
import type { BtcPrice } from './sessions-index.ts';
import type { TranscriptPage } from './transcript.ts';
import type { UsageQuery } from './usage-rows.ts';
import type { UsagePrices } from './usage-sums.ts';

/** What the thread of the sessions starts with. */
export interface SessionsThreadData {
  readonly rootPath: string;
  /** The SQLite file of the index, which is created with its directory. */
  readonly databasePath: string;
  /** Those that the settings name. */
  readonly directories: readonly SessionDirectory[];
}

/** A session, or the copy of it that belongs to an agent. */
export interface SessionRef {
  readonly id: string;
  readonly agent?: string | undefined;
}

/** Where a session is kept. */
export interface SessionPlace {
  readonly id: string;
  readonly agent: string;
  /** Absolute. */
  readonly path: string;
  readonly cwd: string | undefined;
  readonly name: string | undefined;
}

/** What the thread can be asked. */
export type SessionsRequest =
  | { readonly kind: 'usage'; readonly query: UsageQuery }
  | { readonly kind: 'sessions'; readonly agent: string; readonly page: SessionsPage }
  | { readonly kind: 'transcript'; readonly ref: SessionRef; readonly page: TranscriptPage }
  | { readonly kind: 'place'; readonly ref: SessionRef };

/** A question to the thread. */
export interface SessionsQuestion {
  readonly request: SessionsRequest;
  readonly prices: UsagePrices;
  /** The BTC prices since the question before, sorted by time. */
  readonly btcPrices: readonly BtcPrice[];
}

/** The thread's answer. */
export type SessionsAnswer =
  | Usage
  | AgentSessions
  | SessionTranscript
  | SessionPlace
  | 'root missing'
  | 'agent missing'
  | 'session missing'
  | 'session changed'
  | 'session unreadable';

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
  /** What the agents spent, or one of them. Throws `root_unavailable`. */
  usage(grouping: UsageGrouping, period: Period, agent?: string): Promise<Usage>;
  /** A page of an agent's sessions, newest first. Throws `agent_not_found` and `root_unavailable`. */
  list(agent: string, page: SessionsPage): Promise<AgentSessions>;
  /** A page of what a session says. Throws `session_not_found`, `session_changed` and `root_unavailable`. */
  transcript(ref: SessionRef, page: TranscriptPage): Promise<SessionTranscript>;
  /** Where a session is kept. Throws `session_not_found` and `root_unavailable`. */
  place(ref: SessionRef): Promise<SessionPlace>;
  close(): Promise<void>;
}

/** Throws the error that an answer of the thread stands for. */
const requireAnswer = (answer: SessionsAnswer, request: SessionsRequest): Exclude<SessionsAnswer, string> => {
  switch (answer) {
    case 'root missing':
      throw rootUnavailable();
    case 'agent missing':
      throw agentNotFound(request.kind === 'sessions' ? request.agent : '');
    case 'session missing':
      throw new AppError(
        'session_not_found',
        'There is no such session, or its file was deleted. GET /api/agents/:id/sessions lists those of an agent.',
      );
    case 'session changed':
      throw new AppError(
        'session_changed',
        'The file of this session was replaced since that page. Read it again without a cursor.',
      );
    case 'session unreadable':
      throw new AppError(
        'permission_denied',
        'The operating system denied access to the file of this session. Check its owner and mode.',
      );
    default:
      return answer;
  }
};

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
    return requireAnswer(answer, request);
  };
  return {
    usage: async (grouping, period, agent) =>
      (await ask({ kind: 'usage', query: { ...period, grouping, agent } })) as Usage,
    list: async (agent, page) => (await ask({ kind: 'sessions', agent, page })) as AgentSessions,
    transcript: async (ref, page) => (await ask({ kind: 'transcript', ref, page })) as SessionTranscript,
    place: async (ref) => (await ask({ kind: 'place', ref })) as SessionPlace,
    close: () => thread.close(),
  };
};
