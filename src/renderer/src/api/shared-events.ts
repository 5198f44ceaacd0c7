import type { ServerEvent } from '../../../shared/api/events.ts';
import { type ConnectionState, type EventStream, type EventStreamOptions, followEvents } from './events.ts';

/** Options of {@link followSharedEvents}. */
export interface SharedEventsOptions extends EventStreamOptions {
  /** Returns this tab's token. Null when signed out. It isn't sent to other tabs. */
  readonly token: () => string | null;
  /** Calls `listener` whenever the token changes. Returns a function that stops it. */
  readonly onToken: (listener: () => void) => () => void;
  /** How long a leader can stay silent before another tab replaces it. */
  readonly responseMs?: number;
}

/** A message between a group's tabs. `retry` and `hello` are requests to the leader. */
type Message =
  | { readonly kind: 'hello' | 'retry' | 'sign' }
  | { readonly kind: 'state'; readonly state: ConnectionState }
  | { readonly kind: 'event'; readonly event: ServerEvent };

const SILENCE_MS = 40_000;
const LATE_MS = 20_000;
const RESPONSE_MS = 5_000;
/** The pauses before a visible tab's `retry` messages while the leader has no connection. */
const ASK_MS = [500, 1000, 2000, 4000, 8000, 15_000];

/** True if the browser provides Web Locks and Web Crypto. On plain HTTP, it does so only on loopback. */
const CAN_SHARE = globalThis.navigator?.locks !== undefined && globalThis.crypto?.subtle !== undefined;

/**
 * Follows `GET /api/events` like {@link followEvents}, with one connection for all tabs of a browser. A browser
 * allows six connections to a server, and streams in six tabs would use all of them.
 *
 * Tabs with the same token form a group. The tab with the group's lock is the leader: it has the connection, and
 * forwards events. When it closes, the browser gives the lock to the next tab. When it hangs, another tab takes over.
 */
export const followSharedEvents = (options: SharedEventsOptions): EventStream => {
  let member: { readonly name: string; readonly stream: EventStream } | undefined;
  let turn = 0;
  const leave = (): void => {
    turn++;
    member?.stream.close();
    member = undefined;
  };
  const join = async (): Promise<void> => {
    const mine = ++turn;
    const name = CAN_SHARE ? await groupName(options.token()) : '';
    if (mine !== turn || member?.name === name) return;
    member?.stream.close();
    member = { name, stream: CAN_SHARE ? joinGroup(name, options) : followEvents(options) };
  };
  const retryNow = (): void => member?.stream.retryNow();
  void join();
  const endToken = options.onToken(() => void join());
  const endPage = followPage({ leave, join: () => void join(), retryNow });
  return {
    retryNow,
    close: () => {
      endToken();
      endPage();
      leave();
    },
  };
};

/**
 * SECURITY: the name can't be guessed without the token, so a page that another program left at this origin can
 * neither listen nor lead. This script's address separates tabs that still run an older build.
 */
const groupName = async (token: string | null): Promise<string> => {
  const text = new TextEncoder().encode(`${import.meta.url}\n${token ?? ''}`);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return `dot-mi.events.${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
};

interface PageReactions {
  readonly leave: () => void;
  readonly join: () => void;
  readonly retryNow: () => void;
}

/** Leaves the group while the page is frozen, because a frozen page can't lead. Retries when the person returns. */
const followPage = ({ leave, join, retryNow }: PageReactions): (() => void) => {
  if (typeof document === 'undefined') return () => {};
  const ended = new AbortController();
  const { signal } = ended;
  // The network was gone or the computer slept, so the connection may be dead.
  const onReturn = (): void => {
    if (isVisible()) retryNow();
  };
  window.addEventListener('online', onReturn, { signal });
  document.addEventListener('visibilitychange', onReturn, { signal });
  document.addEventListener('freeze', leave, { signal });
  document.addEventListener('resume', join, { signal });
  window.addEventListener('pagehide', leave, { signal });
  window.addEventListener('pageshow', join, { signal });
  return () => ended.abort();
};

const isVisible = (): boolean => typeof document === 'undefined' || document.visibilityState === 'visible';

/** Follows or leads a group until closed. */
const joinGroup = (name: string, options: EventStreamOptions & Pick<SharedEventsOptions, 'responseMs'>) => {
  const { silenceMs = SILENCE_MS, lateMs = LATE_MS, responseMs = RESPONSE_MS } = options;
  const channel = new BroadcastChannel(name);
  const left = new AbortController();
  let waiting = new AbortController();
  let leading: EventStream | undefined;
  let state: ConnectionState = 'connecting';
  let signAtMs = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let questions = 0;

  const post = (message: Message): void => channel.postMessage(message);

  const show = (next: ConnectionState): void => {
    state = next;
    options.onState(next);
  };

  const after = (milliseconds: number, act: () => void): void => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };

  /** Requests a response from the leader. Takes over if none arrives. */
  const ping = (kind: 'hello' | 'retry'): void => {
    post({ kind });
    after(responseMs, () => void enter({ steal: true }));
  };

  const onSign = (): void => {
    signAtMs = Date.now();
    if (state === 'open') questions = 0;
    const delayMs = ASK_MS[Math.min(questions, ASK_MS.length - 1)] ?? 0;
    // A hidden leader's timers run late, so a visible tab wakes it.
    if (state === 'open' || !isVisible()) after(silenceMs, () => ping('hello'));
    else
      after(delayMs, () => {
        questions++;
        ping('retry');
      });
  };

  const lead = (): void => {
    clearTimeout(timer);
    const isFirst = state === 'connecting';
    let isBeginning = true;
    leading = followEvents({
      ...options,
      onState: (next) => {
        show(next);
        // Don't report the change of leader: every stream begins with events that refresh everything anyway.
        if (isFirst || !isBeginning) post({ kind: 'state', state: next });
        isBeginning = false;
      },
      onEvent: (event) => {
        options.onEvent(event);
        post({ kind: 'event', event });
      },
      onSign: () => post({ kind: 'sign' }),
    });
  };

  /** Waits for the lock and leads with it, until this tab leaves the group or another takes over. */
  const enter = async ({ steal }: { steal: boolean }): Promise<void> => {
    waiting.abort();
    const mine = new AbortController();
    waiting = mine;
    const holding = async (): Promise<void> => {
      // This tab may get the lock just as it leaves.
      if (left.signal.aborted) return;
      lead();
      await new Promise((resolve) => left.signal.addEventListener('abort', resolve));
    };
    await navigator.locks
      .request(name, steal ? { steal } : { signal: mine.signal }, holding)
      // This tab left the queue, or another tab took over.
      .catch(() => undefined);
    if (mine !== waiting || left.signal.aborted) return;
    leading?.close();
    leading = undefined;
    onSign();
    void enter({ steal: false });
  };

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (left.signal.aborted) return;
    if (leading) {
      if (data.kind === 'retry') leading.retryNow();
      if (data.kind === 'retry' || data.kind === 'hello') post({ kind: 'state', state });
      return;
    }
    if (data.kind === 'hello' || data.kind === 'retry') return;
    if (data.kind === 'event') options.onEvent(data.event);
    if (data.kind === 'state' && data.state !== state) {
      show(data.state);
      // Earlier data may be stale.
      if (data.state === 'open') options.onReopened();
    }
    onSign();
  };

  options.onState('connecting');
  ping('hello');
  void enter({ steal: false });
  return {
    retryNow: () => {
      if (leading) leading.retryNow();
      else if (state !== 'open' || Date.now() - signAtMs >= lateMs) ping('retry');
    },
    close: () => {
      left.abort();
      waiting.abort();
      clearTimeout(timer);
      leading?.close();
      channel.close();
    },
  };
};
