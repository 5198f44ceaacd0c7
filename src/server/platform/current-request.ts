import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './caller.ts';
import { queueNameOf } from './fair-queue.ts';

/** The request that some work is for. */
export interface CurrentRequest {
  readonly caller: Caller;
  /** Whether its response can be left out, because the request changes nothing. */
  readonly isRead: boolean;
  /** Whether it has changed something, or is about to. */
  hasBegun: boolean;
  /** The id of the entry in the journal that it made. */
  change?: string | undefined;
  /** Returns whether its client left. */
  isGone(): boolean;
}

/** Who waits for some work, as plain data, which threads can receive. */
export interface Asker {
  readonly kind: Caller['kind'];
  /** Callers with the same name wait together. */
  readonly name: string;
}

/** Work that wasn't begun, because its client left. Nobody reads this. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client left');
  }
}

const requests = new AsyncLocalStorage<CurrentRequest>();

/** Runs a request's handler. Everything it calls finds the request with {@link currentRequest}. */
export const runForRequest = <T>(request: CurrentRequest, handler: () => T): T =>
  requests.run(request, handler);

/** Runs work that isn't for one request alone, such as a list that all callers share. */
export const runForAll = <T>(work: () => T): T => requests.exit(work);

/** Returns the request that the caller works for. Undefined for dot-mi's own work. */
export const currentRequest = (): CurrentRequest | undefined => requests.getStore();

/** Returns who waits for the caller's work. Undefined for dot-mi's own work. */
export const currentAsker = (): Asker | undefined => {
  const request = currentRequest();
  return request && { kind: request.caller.kind, name: queueNameOf(request.caller) };
};
