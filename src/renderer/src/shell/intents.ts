// Messages that one part of the page leaves for another, because features don't import each other.
import { useEffect, useMemo, useRef } from 'react';
import { useHistoryState } from 'wouter/use-browser-location';
import { createStore } from 'zustand/vanilla';
import type { EditableFile } from '../../../shared/api/names.ts';
import type { PromptMatch } from '../../../shared/api/search.ts';
import { agentOf, type PageRoute, parsePath, paths } from '../routes.ts';

/** An action that a command requests from a page that may not be open yet. Some actions are for one agent. */
type Action =
  | { readonly kind: 'new-agent' | 'receive-token' | 'send-sats' | 'fix-seed' }
  | {
      readonly kind: 'set-model' | 'set-budget' | 'duplicate-agent' | 'delete-agent';
      readonly id: string;
    }
  /** Focuses a file's text. The id is `agent/file`. */
  | { readonly kind: 'edit-file'; readonly id: `${string}/${EditableFile}` };

const requestedAction = createStore<Action | null>(() => null);

/** Requests an action. The page that handles it does so now, or when it opens. */
export const requestAction = (action: Action): void => requestedAction.setState(action, true);

/** Cancels the requested action, because its page won't open. */
export const cancelAction = (): void => requestedAction.setState(null, true);

/**
 * Returns whether an agent's page is open or still loading. `id` can name one of the agent's files.
 */
const opens = (id: string): boolean => {
  const [agent] = id.split('/');
  return agentOf(parsePath(globalThis.location?.pathname ?? '')) === agent;
};

/**
 * Consumes the requested action of a kind, and returns whether there was one for this agent. A request for another
 * agent waits while that agent opens. If it isn't opening, the request is dropped, so that no dialog opens when
 * the person returns to it later.
 */
export const consumeAction = (kind: Action['kind'], id?: string): boolean => {
  const action = requestedAction.getState();
  if (action?.kind !== kind) return false;
  const isOurs = !('id' in action) || action.id === id;
  if (isOurs || !opens(action.id)) cancelAction();
  return isOurs;
};

/** Calls `run` when an action of this kind is requested, for the agent `id` if the action is about one. */
export const useAction = (kind: Action['kind'], run: () => void, id?: string): void => {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const take = (): void => {
      if (consumeAction(kind, id)) latest.current();
    };
    take();
    return requestedAction.subscribe(take);
  }, [kind, id]);
};

/** Opens an agent's file and focuses its text. */
export const editFile = (agent: string, file: EditableFile, navigate: (path: string) => void): void => {
  requestAction({ kind: 'edit-file', id: `${agent}/${file}` });
  navigate(paths.agent(agent, { kind: 'files', file }));
};

/** Requests the new-agent dialog, and opens the agents page if no agents are visible. */
export const askNewAgent = (page: PageRoute, navigate: (path: string) => void): void => {
  requestAction({ kind: 'new-agent' });
  if (page.name !== 'agents' && page.name !== 'agent') navigate(paths.agents);
};

/** An entry that the search found, by its id on its page. */
interface RequestedEntry {
  readonly kind: 'setting' | 'model';
  readonly id: string;
}

const requestedEntry = createStore<RequestedEntry | null>(() => null);

/** Requests that a page show one of its entries, now or when it opens. */
export const requestEntry = (entry: RequestedEntry): void => requestedEntry.setState(entry, true);

/** Shows the requested entry of a kind, once the page `isReady` for it. */
export const useRequestedEntry = (
  kind: RequestedEntry['kind'],
  isReady: boolean,
  show: (id: string) => void,
): void => {
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    if (!isReady) return;
    const take = (): void => {
      const entry = requestedEntry.getState();
      if (entry?.kind !== kind) return;
      requestedEntry.setState(null, true);
      latest.current(entry.id);
    };
    take();
    return requestedEntry.subscribe(take);
  }, [kind, isReady]);
};

/** Words in a file: the line, the surrounding text, and their position in that text. */
export type TextPlace = Readonly<Pick<PromptMatch, 'line' | 'text' | 'start' | 'length'>>;

const requestedPlace = createStore<PromptMatch | null>(() => null);

/** Requests that a file's editor show a search match, now or when it opens. */
export const requestPlace = (match: PromptMatch): void => requestedPlace.setState(match, true);

/** Shows the requested place in a file, once its editor exists. */
export const useRequestedPlace = (id: string, file: EditableFile, show: (place: TextPlace) => void): void => {
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    const take = (): void => {
      const match = requestedPlace.getState();
      if (match?.agent !== id || match.file !== file) return;
      requestedPlace.setState(null, true);
      latest.current(match);
    };
    take();
    return requestedPlace.subscribe(take);
  }, [id, file]);
};

const waitingLinks = createStore<readonly string[]>(() => []);

/**
 * Keeps the text of an opened `cashu:` link until the wallet consumes it. SECURITY: a token is money, so it stays in
 * memory and never appears in an address.
 */
export const handLink = (text: string): void => {
  waitingLinks.setState([...waitingLinks.getState(), text], true);
};

/** Returns whether any opened link is still waiting. */
export const linksWait = (): boolean => waitingLinks.getState().length > 0;

/** Calls `listener` for each opened link, until the returned function is called. */
export const followWaiting = (listener: () => void): (() => void) => waitingLinks.subscribe(listener);

/** Passes each waiting and future link to `take` once, oldest first, until the returned function runs. */
export const followLinks = (take: (text: string) => void): (() => void) => {
  const takeAll = (): void => {
    const links = waitingLinks.getState();
    if (links.length === 0) return;
    waitingLinks.setState([], true);
    links.forEach(take);
  };
  takeAll();
  return followWaiting(takeAll);
};

/** How a person started an agent: by opening a terminal, or only by copying the command. */
export type AgentRun = 'opened' | 'copied';

const runs = createStore<ReadonlyMap<string, AgentRun>>(() => new Map());

/** Reports how a person started an agent from this page. */
export const reportRun = (id: string, run: AgentRun): void => {
  if (lastRun(id) !== 'opened') runs.setState(new Map(runs.getState()).set(id, run), true);
};

/** Returns how an agent was started: `opened` if a terminal ever opened, else `copied`. Undefined if neither. */
export const lastRun = (id: string): AgentRun | undefined => runs.getState().get(id);

/** Calls `listener` after each report, until the returned function is called. */
export const followRuns = (listener: () => void): (() => void) => runs.subscribe(listener);

const created = createStore<string | null>(() => null);

/** Reports that a person created a new agent. */
export const reportCreated = (id: string): void => created.setState(id, true);

/** Returns the agent that was created last on this page, or null. */
export const lastCreated = (): string | null => created.getState();

/** Calls `listener` after each agent is created, until the returned function is called. */
export const followCreated = (listener: () => void): (() => void) => created.subscribe(listener);

interface MatrixState {
  readonly matrixAgents: readonly string[];
}

const isMatrixState = (state: unknown): state is MatrixState =>
  typeof state === 'object' && state !== null && 'matrixAgents' in state;

/**
 * Returns the history state that makes the matrix show only these agents. It isn't in the URL, because thousands of
 * ids don't fit there.
 */
export const toMatrixState = (ids: Iterable<string>): MatrixState => ({
  matrixAgents: [...ids],
});

/** Returns the agents that the matrix shows in this history entry. Undefined for all agents. */
export const useMatrixAgents = (): ReadonlySet<string> | undefined => {
  const state: unknown = useHistoryState();
  return useMemo(() => (isMatrixState(state) ? new Set(state.matrixAgents) : undefined), [state]);
};
