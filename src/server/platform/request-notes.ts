import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../shared/api/errors.ts';

/** Facts about a request that the server learns while handling it, for the request log. */
interface RequestNotes {
  /** The endpoint's path, with `:name` for params. Undefined for an unknown path. */
  route: string | undefined;
  /** The `id` param as sent. The agent may not exist. */
  agent: string | undefined;
  /** The owner of the request's valid token. Undefined for an agent key. */
  sender: 'page' | 'operator' | 'api' | undefined;
  /** The request's valid agent key, even if the key has no access to the route. */
  key: { readonly label: string; readonly agent: string | undefined } | undefined;
  /** Whether the caller is the operator, or their page. False until the access check. */
  isOperator: boolean;
  /** The response's error code. */
  code: ErrorCode | undefined;
  /** Frees the request's place among those in progress. Undefined if it has none. */
  leave: (() => void) | undefined;
  /** Frees the room for the request's body. Undefined if it needs none. */
  freeBody: (() => void) | undefined;
  /** Whether its handler hasn't returned yet. It continues after its client leaves, and keeps the place. */
  isHandling: boolean;
  /** Whether its response ended, or its client left. */
  isGone: boolean;
}

const NOTES: unique symbol = Symbol('notes');

/** Frees all that a request holds whose client left and whose handler returned. */
export const freeRequest = ({ leave, freeBody }: RequestNotes): void => {
  leave?.();
  freeBody?.();
};

/** Returns a request's notes. Any code can add to them. */
export const requestNotes = (req: IncomingMessage & { [NOTES]?: RequestNotes }): RequestNotes => {
  req[NOTES] ??= {
    route: undefined,
    agent: undefined,
    sender: undefined,
    key: undefined,
    isOperator: false,
    code: undefined,
    leave: undefined,
    freeBody: undefined,
    isHandling: false,
    isGone: false,
  };
  return req[NOTES];
};
