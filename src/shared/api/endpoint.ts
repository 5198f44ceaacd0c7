import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { KeyScope } from './key-scopes.ts';

/** The HTTP methods that the API uses. */
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A schema of named fields, for params, query, headers and body. */
export type FieldsSchema = z.ZodObject<z.ZodRawShape>;

/**
 * The record of an endpoint. The server, the client and the OpenAPI document all use it.
 *
 * - `id`: the OpenAPI operation id, `<feature>.<verb>`.
 * - `path`: absolute, with `:name` for params.
 * - `task`: what an agent can do with it, in a few words, for the index at `GET /api`. The index leaves out routes
 *   without one.
 * - `access`: `open` never needs a token, `api` needs API_TOKEN if one is set, and `operator` always needs
 *   the operator token.
 * - `keys`: the scopes that open the route to an agent key. If `none` or absent, no agent key can call the route.
 * - `ownAgent`: the key must also belong to the agent `:id`.
 * - `ofRoot`: the request can name its root in {@link ROOT_HEADER}. A server that manages another root refuses it.
 * - `bodyLimitBytes`: the maximum size of a body. Default: see {@link bodyLimitOf}.
 * - `records`: its changes are an entry in the history, which the response names in {@link CHANGE_HEADER}.
 * - `events`: for a server-sent event stream, the schema of each event's data. `success.body` is then unused.
 * - `eventAccess`: for each event, who receives it. The operator receives all.
 * - `errors`: the codes in addition to the common ones.
 */
export interface EndpointShape {
  readonly id: string;
  readonly method: Method;
  readonly path: `/api${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly task?: string;
  readonly access: 'open' | 'api' | 'operator';
  readonly keys?: 'none' | readonly KeyScope[];
  readonly ownAgent?: boolean;
  readonly ofRoot?: boolean;
  readonly params?: FieldsSchema;
  readonly query?: FieldsSchema;
  /** Names are in lowercase, as Node provides them. */
  readonly headers?: FieldsSchema;
  readonly body?: FieldsSchema;
  readonly bodyLimitBytes?: number;
  readonly records?: true;
  readonly success: SuccessShape;
  readonly events?: Readonly<Record<string, z.ZodType>>;
  readonly eventAccess?: Readonly<Record<string, EventAccess>>;
  readonly errors: readonly ErrorCode[];
}

/** Who receives an event, as for a route: with `api` also callers without a token, and agent keys with these scopes. */
export interface EventAccess {
  readonly access: 'api' | 'operator';
  readonly keys: 'none' | readonly KeyScope[];
}

/** A successful response: its status, its body, and the headers that repeat a part of the body. */
interface SuccessShape {
  readonly status: 200 | 201;
  /** Describes the body in the OpenAPI document, as a noun phrase. Default: the endpoint's summary. */
  readonly description?: string;
  readonly body: z.ZodType;
  readonly headers?: Readonly<Record<string, HeaderShape>>;
  /** Formats the body as plain text, for clients that prefer `text/plain`. The JSON then has one line per field. */
  // biome-ignore lint/suspicious/noExplicitAny: the body's type is known only where the record is written
  readonly text?: (body: any) => string;
  /** Formats the body as a table, for clients that prefer `text/csv`. */
  readonly csv?: CsvShape;
  /** The response has a strong ETag of its bytes, and a request with If-None-Match can get a 304 without a body. */
  readonly conditional?: true;
}

/** A table made from a body. */
export interface CsvShape {
  readonly columns: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the body's type is known only where the record is written
  readonly rows: (body: any) => readonly (readonly (string | number | null)[])[];
}

/** A response header derived from the body. Undefined leaves it out. */
interface HeaderShape {
  readonly description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the body's type is known only where the record is written
  readonly from: (body: any) => string | undefined;
}

/** The header that names a request's root: the `rootId` of `GET /api/health`. */
export const ROOT_HEADER = 'dot-mi-root';

/**
 * The response header with the id of the change that a request made. Absent if nothing changed, or if the change can't
 * be undone.
 */
export const CHANGE_HEADER = 'Change-Id';

/** The default body limit: 2 MiB. */
export const DEFAULT_BODY_LIMIT_BYTES = 2 * 1024 * 1024;

/** The body limit of `open` routes: 16 KiB. Anyone can call them. */
const OPEN_BODY_LIMIT_BYTES = 16 * 1024;

/** Returns the maximum size of a request's body. */
export const bodyLimitOf = ({ access, bodyLimitBytes }: EndpointShape): number =>
  bodyLimitBytes ?? (access === 'open' ? OPEN_BODY_LIMIT_BYTES : DEFAULT_BODY_LIMIT_BYTES);

/** Declares an endpoint and keeps its exact type for server and client. */
export const defineEndpoint = <const E extends EndpointShape>(endpoint: E): E => endpoint;

/** Returns whether a request must have a body. A POST whose fields are all optional needs none. */
export const needsBody = ({ method, body }: EndpointShape): boolean =>
  body !== undefined && (method !== 'POST' || !body.safeParse({}).success);

type Part<E, K extends string, Side extends 'input' | 'output'> =
  E extends Readonly<Record<K, infer S extends z.ZodType>>
    ? { [P in K]: Side extends 'input' ? z.input<S> : z.output<S> }
    : unknown;

/** The input of a handler: the parsed params, query, headers and body of its endpoint. */
export type RequestOf<E extends EndpointShape> = Part<E, 'params', 'output'> &
  Part<E, 'query', 'output'> &
  Part<E, 'headers', 'output'> &
  Part<E, 'body', 'output'>;

/** The request of a client: the same parts before parsing. */
export type CallOf<E extends EndpointShape> = Part<E, 'params', 'input'> &
  Part<E, 'query', 'input'> &
  Part<E, 'headers', 'input'> &
  Part<E, 'body', 'input'>;

/** The body of an endpoint's successful response. */
export type ResponseOf<E extends EndpointShape> = z.output<E['success']['body']>;
