import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../shared/api/errors.ts';
import type { KeyScope } from '../../shared/api/key-scopes.ts';

/** An agent key that was sent with a request. */
export interface CallingKey {
  readonly id: string;
  readonly label: string;
  /** The agent that it belongs to, and the id of that agent's root. */
  readonly agent: { readonly id: string; readonly rootId: string } | undefined;
  readonly scopes: readonly KeyScope[];
  /** The limit of the scope `spend`. */
  readonly satsPerDay: number | undefined;
  /** Records that a request with it was allowed. */
  markUsed(): void;
  /** Whether it still opens anything: it was neither revoked nor did it expire. A stream outlives its first check. */
  isValid(): boolean;
}

/** What the server learned about a request while it handled it. The request log reads this. */
interface RequestNotes {
  /** The path of the endpoint, with `:name` for params. Undefined for an unknown path. */
  route: string | undefined;
  /** The param `id` as it was sent. There may be no such agent. */
  agent: string | undefined;
  /** Whose valid token it carried, unless that was an agent key. */
  sender: 'page' | 'operator' | 'api' | undefined;
  /** Its valid agent key, also if the key may not use the route. */
  key: { readonly label: string; readonly agent: string | undefined } | undefined;
  /** The error code of the response. */
  code: ErrorCode | undefined;
}

const NOTES: unique symbol = Symbol('notes');

/** What is noted of a request. The code that learns something sets it. */
export const requestNotes = (req: IncomingMessage & { [NOTES]?: RequestNotes }): RequestNotes => {
  req[NOTES] ??= { route: undefined, agent: undefined, sender: undefined, key: undefined, code: undefined };
  return req[NOTES];
};
