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
  /** The response's error code. */
  code: ErrorCode | undefined;
}

const NOTES: unique symbol = Symbol('notes');

/** Returns a request's notes. Any code can add to them. */
export const requestNotes = (req: IncomingMessage & { [NOTES]?: RequestNotes }): RequestNotes => {
  req[NOTES] ??= { route: undefined, agent: undefined, sender: undefined, key: undefined, code: undefined };
  return req[NOTES];
};
