import type { IncomingMessage, ServerResponse } from 'node:http';
import { deleteAgent } from '../../shared/api/agents.ts';
import type { ErrorCode } from '../../shared/api/errors.ts';
import { getHealth } from '../../shared/api/health.ts';
import { isAgentId } from '../../shared/api/names.ts';
import {
  type CallerClass,
  type CallerKind,
  callerClass,
  KEPT_REQUESTS,
  type LoggedRequest,
  listRequests,
  type RequestLogPage,
} from '../../shared/api/requests.ts';
import { reportStatus } from '../../shared/api/status.ts';
import type { Clock } from '../platform/clock.ts';
import { requestNotes } from '../platform/request-notes.ts';

/** How long an event is delayed after a request, so that many requests cause few events. */
const ANNOUNCE_AFTER_MS = 350;

/** Ids start at the time in ms times this. They stay unique after a restart if fewer requests arrived per ms. */
const IDS_PER_MS = 1000;

/** A recorded request. The ring reuses its object. */
interface Entry {
  id: number;
  endedAtMs: number;
  durationMs: number;
  method: string;
  route: string | undefined;
  /** The id as sent. Reading the log checks whether the agent exists. */
  agent: string | undefined;
  isAgentKnown: boolean;
  status: number | undefined;
  code: ErrorCode | undefined;
  kind: CallerKind;
  label: string | undefined;
  keyAgent: string | undefined;
}

/** The last entries. They're all created at startup, so that recording a request allocates nothing. */
class Ring {
  readonly #entries: readonly Entry[] = Array.from({ length: KEPT_REQUESTS }, () => ({
    id: 0,
    endedAtMs: 0,
    durationMs: 0,
    method: '',
    route: undefined,
    agent: undefined,
    isAgentKnown: false,
    status: undefined,
    code: undefined,
    kind: 'other',
    label: undefined,
    keyAgent: undefined,
  }));
  #next = 0;

  /** Returns the oldest entry, which the caller overwrites. */
  take(): Entry {
    const entry = this.#entries[this.#next] as Entry;
    this.#next = (this.#next + 1) % KEPT_REQUESTS;
    return entry;
  }

  /** Returns the entries in use, in any order. */
  used = (): Entry[] => this.#entries.filter(({ id }) => id > 0);
}

/** Selects the requests to list. See the query of `GET /api/requests`. */
interface RequestFilter {
  agent?: string | undefined;
  errors: boolean;
  page: boolean;
  after?: number | undefined;
  cursor?: number | undefined;
  limit: number;
}

interface RequestLogDeps {
  /** Resolves to whether the root has this agent. */
  hasAgent(id: string): Promise<boolean>;
  /** Called after new requests, if the log was read since the last call. */
  announce(): void;
  clock: Clock;
}

/** The last requests to the API. */
export interface RequestLog {
  /** Adds a request whose response ended. `arrivedMs` is on the clock of `performance.now()`. */
  record(req: IncomingMessage, res: ServerResponse, arrivedMs: number): void;
  list(filter: RequestFilter): Promise<RequestLogPage>;
  close(): void;
}

/**
 * Returns whether a request, such as the proof before each report, repeats constantly and would push out the others.
 */
const isRoutine = (route: string | undefined, { url = '' }: IncomingMessage): boolean =>
  route === listRequests.path ||
  route === reportStatus.path ||
  (route === getHealth.path && url.includes('nonce='));

/** SECURITY: a request's path and query can contain secrets, so neither is recorded. */
const isOfApi = (req: IncomingMessage & { readonly originalUrl?: string }, code: ErrorCode | undefined) =>
  // Express removes the router's path from `url`, so the page's `/assets/api-page.js` would count too.
  (req.originalUrl ?? req.url)?.startsWith('/api') === true ||
  code === 'forbidden_host' ||
  code === 'forbidden_origin';

const shownAgent = ({ agent, isAgentKnown }: Entry) => (isAgentKnown ? agent : undefined);

const toLogged = (entry: Entry): LoggedRequest => ({
  id: entry.id,
  at: new Date(entry.endedAtMs - entry.durationMs).toISOString(),
  durationMs: Math.round(entry.durationMs * 100) / 100,
  method: entry.method,
  route: entry.route ?? null,
  agent: shownAgent(entry) ?? null,
  status: entry.status ?? null,
  code: entry.code ?? null,
  caller: { kind: entry.kind, label: entry.label ?? null, agent: entry.keyAgent ?? null },
});

/**
 * Creates the log. SECURITY: each class of callers has its own ring, so that nobody can push out another class's
 * requests. The page has one too, because it sends far more than programs do.
 */
export const createRequestLog = ({ hasAgent, announce, clock }: RequestLogDeps): RequestLog => {
  const rings: Record<CallerClass, Ring> = {
    page: new Ring(),
    operator: new Ring(),
    agent: new Ring(),
    anyone: new Ring(),
  };
  let id = clock.now() * IDS_PER_MS;
  /** The requests to announce are those that the last read would have returned. */
  let awaited: 'none' | 'programs' | 'all' = 'none';
  let cancelAnnounce: (() => void) | undefined;

  const announceSoon = (isPage: boolean) => {
    if (cancelAnnounce || awaited === 'none' || (isPage && awaited === 'programs')) return;
    cancelAnnounce = clock.after(ANNOUNCE_AFTER_MS, () => {
      cancelAnnounce = undefined;
      awaited = 'none';
      announce();
    });
  };

  /** SECURITY: the agent id in a path can be any text, so unknown ids are forgotten. */
  const checkAgents = async (entries: readonly Entry[]) => {
    const found = new Map<string, boolean>();
    for (const { agent, isAgentKnown } of entries)
      if (agent !== undefined && (isAgentKnown || !found.has(agent))) found.set(agent, isAgentKnown);
    for (const [agent, isKnown] of found) found.set(agent, isKnown || (await hasAgent(agent)));
    for (const entry of entries) {
      if (entry.agent === undefined || entry.isAgentKnown) continue;
      // `found` lacks the agent if the ring overwrote the entry meanwhile.
      entry.isAgentKnown = found.get(entry.agent) === true;
      if (found.get(entry.agent) === false) entry.agent = undefined;
    }
  };

  return {
    record(req, res, arrivedMs) {
      const { route, agent, sender, key, code } = requestNotes(req);
      const status = res.headersSent ? res.statusCode : undefined;
      if (!isOfApi(req, code) || (status === 200 && isRoutine(route, req))) return;
      // SECURITY: only the token counts, because any program can send a browser's headers to pass as a page.
      const isPage = sender === 'page';
      const kind = isPage ? 'page' : key ? 'key' : (sender ?? 'other');
      const entry = rings[callerClass(kind)].take();
      entry.id = ++id;
      entry.endedAtMs = clock.now();
      entry.durationMs = performance.now() - arrivedMs;
      entry.method = req.method ?? '';
      entry.route = route;
      entry.agent = agent !== undefined && isAgentId(agent) ? agent : undefined;
      // A deleted agent existed until now.
      entry.isAgentKnown = route === deleteAgent.path && req.method === 'DELETE' && status === 200;
      entry.status = status;
      entry.code = code;
      entry.kind = kind;
      entry.label = key?.label;
      entry.keyAgent = key?.agent;
      announceSoon(isPage);
    },

    async list({ agent, errors, page, after = 0, cursor = Number.POSITIVE_INFINITY, limit }) {
      if (awaited !== 'all') awaited = page ? 'all' : 'programs';
      const entries = Object.values(rings)
        .flatMap((ring) => ring.used())
        .filter((entry) => (page || entry.kind !== 'page') && entry.id > after && entry.id < cursor);
      await checkAgents(entries);
      const found = entries
        .filter(
          (entry) =>
            (agent === undefined || shownAgent(entry) === agent || entry.keyAgent === agent) &&
            (!errors || entry.status === undefined || entry.status >= 400),
        )
        .sort((a, b) => b.id - a.id);
      const shown = found.slice(0, limit).map(toLogged);
      const last = shown.at(-1);
      return {
        requests: shown,
        ...(last && found.length > shown.length ? { nextCursor: String(last.id) } : {}),
      };
    },

    close: () => cancelAnnounce?.(),
  };
};
