import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ServerEvent } from '../../../shared/api/events.ts';
import type { Problem } from '../../../shared/api/problem.ts';
import { isRunHost } from '../../../shared/page-host.ts';

/**
 * `connecting`: the first attempt, or a stream that just ended. `offline`: the attempt got no response. `refused`:
 * the server refused, most likely because the token is missing. `restarted`: the server has started again since, with
 * another host name in its link, so this page never reaches it again.
 */
export type ConnectionState = 'connecting' | 'open' | 'offline' | 'refused' | 'restarted';

/** Options and callbacks of {@link followEvents}. */
export interface EventStreamOptions {
  /** Opens the stream with fetch, because EventSource can't send an Authorization header. */
  readonly open: (signal: AbortSignal) => Promise<Response>;
  readonly onEvent: (event: ServerEvent) => void;
  readonly onState: (state: ConnectionState) => void;
  /** Called when a stream starts after an earlier one ended, so changes in between were missed. */
  readonly onReopened: () => void;
  /** Called when the page is hidden, which closes its stream. The state stays as it was. */
  readonly onHidden?: () => void;
  /** The pauses before each attempt after a failure. The last one repeats. */
  readonly retryDelaysMs?: readonly number[];
  /** The server sends a comment every 15 s. After this long without data, the connection is dead. */
  readonly silenceMs?: number;
  /** After this long without data, {@link EventStream.retryNow} replaces the connection. */
  readonly lateMs?: number;
}

/** A followed event stream. */
export interface EventStream {
  /**
   * Retries at once instead of after the pause. Replaces an open connection that missed expected data, such as
   * after the computer slept.
   */
  readonly retryNow: () => void;
  /** Replaces the connection, because `open` would send another token now. */
  readonly reconnect: () => void;
  readonly close: () => void;
}

const RETRY_DELAYS_MS = [500, 1000, 2000, 4000, 8000, 15_000];
const FORBIDDEN = 403;
const SILENCE_MS = 40_000;
const LATE_MS = 20_000;

/** Returns whether a problem means that dot-mi has another host name since it started again. */
const isRestart = (problem: unknown): boolean =>
  isRunHost(globalThis.location?.hostname ?? '') &&
  (problem as Partial<Problem> | undefined)?.code === 'forbidden_host';

const problemOf = (response: Response): Promise<unknown> =>
  response.status === FORBIDDEN ? response.json().catch(() => undefined) : Promise.resolve(undefined);

const isHidden = (): boolean => globalThis.document?.visibilityState === 'hidden';

/**
 * Follows `GET /api/events` until closed. Reconnects whenever the stream ends, fails or becomes silent. A hidden page has
 * no stream, because a browser allows six connections to a server, and streams in six tabs would use all of them.
 */
export const followEvents = (options: EventStreamOptions): EventStream => {
  const { open, onEvent, onState, onReopened } = options;
  const delaysMs = options.retryDelaysMs ?? RETRY_DELAYS_MS;
  const silenceMs = options.silenceMs ?? SILENCE_MS;
  const lateMs = options.lateMs ?? LATE_MS;
  const closed = new AbortController();
  let wake = (): void => {};
  let openedBefore = false;
  let dropLate = (): void => {};
  let endAttempt = (): void => {};
  /** True if the next attempt doesn't wait, and replaces a connection that didn't fail. */
  let isDue = false;

  /** Reads one stream to its end. Returns the next state. */
  const readOnce = async (): Promise<Exclude<ConnectionState, 'open'>> => {
    const attempt = new AbortController();
    const signal = AbortSignal.any([closed.signal, attempt.signal]);
    isDue = false;
    endAttempt = () => attempt.abort();
    let watchdog = setTimeout(endAttempt, silenceMs);
    let after: 'connecting' | 'offline' = 'offline';
    let signAtMs = Date.now();
    dropLate = () => {
      // The clock also runs while the computer sleeps, unlike the watchdog's timer.
      if (Date.now() - signAtMs >= lateMs) attempt.abort();
    };
    try {
      const response = await open(signal);
      if (!response.ok || !response.body) {
        const problem = await problemOf(response);
        attempt.abort();
        if (isRestart(problem)) return 'restarted';
        // A proxy returns 5xx if the server is gone.
        return response.status >= 400 && response.status < 500 ? 'refused' : 'offline';
      }
      after = 'connecting';
      onState('open');
      if (openedBefore) onReopened();
      openedBefore = true;
      const parser = createParser({ onEvent: (message) => deliver(message, onEvent) });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return after;
        signAtMs = Date.now();
        clearTimeout(watchdog);
        watchdog = setTimeout(endAttempt, silenceMs);
        parser.feed(value);
      }
    } catch (error) {
      // A page with a token asks first who the server is.
      return isRestart(error) ? 'restarted' : after;
    } finally {
      clearTimeout(watchdog);
    }
  };

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = async (): Promise<void> => {
    let failures = 0;
    onState('connecting');
    while (!closed.signal.aborted) {
      if (isHidden()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const state = await readOnce();
      if (closed.signal.aborted) return;
      if (isDue || isHidden()) continue;
      failures = state === 'connecting' ? 0 : failures + 1;
      onState(state);
      await pause(delaysMs[Math.min(failures, delaysMs.length - 1)] ?? 0);
    }
  };

  const retryNow = (): void => {
    dropLate();
    wake();
  };
  const reconnect = (): void => {
    isDue = true;
    endAttempt();
    wake();
  };
  const onVisibilityChange = (): void => {
    if (isHidden()) {
      options.onHidden?.();
      endAttempt();
    } else reconnect();
  };
  globalThis.document?.addEventListener('visibilitychange', onVisibilityChange, { signal: closed.signal });
  // The network was gone, so the connection may be dead.
  globalThis.window?.addEventListener('online', retryNow, { signal: closed.signal });

  void run();
  return {
    retryNow,
    reconnect,
    close: () => {
      closed.abort();
      wake();
    },
  };
};

/** Delivers an event of the server, which validated it. */
const deliver = ({ event, data }: EventSourceMessage, onEvent: (event: ServerEvent) => void): void => {
  if (event !== undefined) onEvent({ name: event, data: JSON.parse(data) } as ServerEvent);
};
