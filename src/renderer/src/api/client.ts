import {
  type CallOf,
  CHANGE_HEADER,
  type EndpointShape,
  type ResponseOf,
  ROOT_HEADER,
} from '../../../shared/api/endpoint.ts';
import { type ErrorCode, isErrorCode } from '../../../shared/api/errors.ts';
import type { Problem } from '../../../shared/api/problem.ts';
import { errors } from '../strings/common.ts';
import type { Session } from './session.ts';

/**
 * The codes of {@link ApiError}: the API's, and two of the page's own. `offline`: no response, or a proxy reported
 * that the server is down. `unexpected_answer`: a response that isn't the API's, such as from a proxy or from another
 * program on the port.
 */
type ApiErrorCode = ErrorCode | 'offline' | 'unexpected_answer';

/** A failed call. `message` is the server's sentence. Programs match on `code`. `status` is 0 when offline. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ApiErrorCode;
  /** The entire body, with the fields some codes add (`stderr`, `exitCode`, `etag`). */
  readonly details: Problem | undefined;

  constructor(status: number, code: ApiErrorCode, message: string, details?: Problem) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

interface Parts {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/**
 * Returns the URL and options of `fetch` for a call. Omits absent query fields and headers. `rootId` is the root that
 * the call is for, unless its own headers name one.
 */
export const toRequest = <E extends EndpointShape>(
  endpoint: E,
  parts: CallOf<E>,
  token: string | null,
  rootId?: string,
): { url: string; init: RequestInit } => {
  const { params = {}, query = {}, headers = {}, body } = parts as Parts;
  const path = endpoint.path.replace(/:([A-Za-z]+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams(present(query)).toString();
  const init: RequestInit = {
    method: endpoint.method,
    // The browser's cache could respond to conditional reads, but we want what is on disk now.
    cache: 'no-store',
    headers: {
      ...(endpoint.ofRoot && rootId !== undefined ? { [ROOT_HEADER]: rootId } : {}),
      ...Object.fromEntries(present(headers)),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  };
  if (body !== undefined) init.body = JSON.stringify(body);
  return { url: search === '' ? path : `${path}?${search}`, init };
};

const present = (fields: Readonly<Record<string, unknown>>): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));

/**
 * Sends a call and returns the raw response with any status. Throws {@link ApiError} `offline` if there is no
 * response, and the signal's reason if it was aborted.
 */
export const open = async <E extends EndpointShape>(
  endpoint: E,
  parts: CallOf<E>,
  signal?: AbortSignal,
): Promise<Response> => {
  const token = await session.bearer();
  signal?.throwIfAborted();
  return openAs(token, endpoint, parts, signal);
};

/** The session that provides the token for {@link open}. Signed out until the page connects its own. */
let session: Pick<Session, 'bearer' | 'doubt'> = { bearer: async () => null, doubt: () => {} };

/** Resolves to whether the page is signed in. */
export const isSignedIn = async (): Promise<boolean> => (await session.bearer()) !== null;

/** Sends a session's token with every call from now on. */
export const connectSession = (connected: typeof session): void => {
  session = connected;
};

/** The root whose files the page shows. */
interface ShownRoot {
  /** Identifies the root. Undefined until the health response arrives. */
  readonly id: () => string | undefined;
  /** Called if the server refuses a call because it now manages another root. */
  readonly onChanged: () => void;
}

let shownRoot: ShownRoot = { id: () => undefined, onChanged: () => {} };

/** Returns the id of the root that the page shows. Undefined until it's known. */
export const shownRootId = (): string | undefined => shownRoot.id();

/** Adds the shown root's id to every call for a root from now on. */
export const connectRoot = (connected: ShownRoot): void => {
  shownRoot = connected;
};

const openAs = async <E extends EndpointShape>(
  token: string | null,
  endpoint: E,
  parts: CallOf<E>,
  signal?: AbortSignal,
): Promise<Response> => {
  const { url, init } = toRequest(endpoint, parts, token, shownRoot.id());
  try {
    return await fetch(url, signal ? { ...init, signal } : init);
  } catch {
    signal?.throwIfAborted();
    session.doubt();
    throw offline();
  }
};

/** A request composed by a person. `url` is an API path. */
interface OwnRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Sends a request with the session's token, and returns the raw response like {@link open}. */
export const sendOwn = async (
  { method, url, headers, body }: OwnRequest,
  signal: AbortSignal,
): Promise<Response> => {
  // SECURITY: never send the token to another server.
  if (!/^\/api(?=[/?]|$)/.test(url)) throw new TypeError(`${url} is not a route of the API`);
  const token = await session.bearer();
  signal.throwIfAborted();
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const init: RequestInit = { method, signal, cache: 'no-store', headers: { ...headers, ...authorization } };
  if (body !== undefined) init.body = body;
  try {
    return await fetch(url, init);
  } catch {
    signal.throwIfAborted();
    session.doubt();
    throw offline();
  }
};

/** Calls an endpoint outside the session, with another token or with none. */
export const callAs = async <E extends EndpointShape>(
  token: string | null,
  endpoint: E,
  parts: CallOf<E>,
): Promise<ResponseOf<E>> => {
  const response = await openAs(token, endpoint, parts);
  return successOf<E>(response);
};

/** Each address's last response that has an ETag, which is a hash of all its bytes. */
const keptResponses = new Map<string, { readonly etag: string; readonly body: unknown }>();

/** Calls an endpoint whose unchanged response isn't sent or parsed again, so the result stays the same object. */
const callConditionally = async <E extends EndpointShape>(
  endpoint: E,
  parts: CallOf<E>,
  signal?: AbortSignal,
): Promise<ResponseOf<E>> => {
  const { url } = toRequest(endpoint, parts, null);
  const kept = keptResponses.get(url);
  const headers = { ...(parts as Parts).headers, 'if-none-match': kept?.etag };
  const response = await open(endpoint, { ...(parts as Parts), headers } as CallOf<E>, signal);
  if (response.status === NOT_MODIFIED && kept) return kept.body as ResponseOf<E>;
  const body = await successOf<E>(response, signal);
  const etag = response.headers.get('etag');
  if (etag !== null) keptResponses.set(url, { etag, body });
  return body;
};

const NOT_MODIFIED = 304;

/**
 * Calls an endpoint and returns its body, whose type the page trusts because the server validates it. Every failure is an
 * {@link ApiError}.
 */
export const call = async <E extends EndpointShape>(
  endpoint: E,
  parts: CallOf<E>,
  signal?: AbortSignal,
): Promise<ResponseOf<E>> =>
  endpoint.success.conditional
    ? callConditionally(endpoint, parts, signal)
    : successOf<E>(await open(endpoint, parts, signal), signal);

/** Like {@link call}, but also returns the id of the change, for its undo. Null if it can't be undone. */
export const callForChange = async <E extends EndpointShape>(
  endpoint: E,
  parts: CallOf<E>,
): Promise<{ readonly body: ResponseOf<E>; readonly change: string | null }> => {
  const response = await open(endpoint, parts);
  const body = await successOf<E>(response);
  return { body, change: response.headers.get(CHANGE_HEADER) };
};

/** Returns a successful response's body. Throws an {@link ApiError} for a failed response. */
const successOf = async <E extends EndpointShape>(
  response: Response,
  signal?: AbortSignal,
): Promise<ResponseOf<E>> => {
  const body = await bodyOf(response, signal);
  if (!response.ok) {
    const error = toApiError(response.status, body);
    if (error.code === 'root_changed') shownRoot.onChanged();
    throw error;
  }
  if (!isObject(body)) throw unexpected(response.status);
  return body as ResponseOf<E>;
};

/** Proxies return these if the server is gone or restarting. Our own errors have a problem as body. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

const isObject = (body: unknown): body is object => typeof body === 'object' && body !== null;

const isProblem = (body: unknown): body is Problem =>
  isObject(body) &&
  'error' in body &&
  typeof body.error === 'string' &&
  'code' in body &&
  isErrorCode(body.code);

/** Returns the {@link ApiError} for a failed response. */
export const toApiError = (status: number, body: unknown): ApiError => {
  if (isProblem(body)) {
    const { code, error } = body;
    // The server's sentence is written for an agent. Here, the person may be the operator.
    const message = code === 'operator_required' ? errors.operatorRequired : error;
    return new ApiError(status, code, message, body);
  }
  return GATEWAY_STATUSES.has(status) ? offline() : unexpected(status);
};

const bodyOf = async (response: Response, signal: AbortSignal | undefined): Promise<unknown> => {
  let text: string;
  try {
    text = await response.text();
  } catch {
    signal?.throwIfAborted();
    throw offline();
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const offline = (): ApiError => new ApiError(0, 'offline', errors.offline);

/** Returns the error for a response that isn't the API's. */
export const unexpected = (status: number): ApiError =>
  new ApiError(status, 'unexpected_answer', errors.unexpectedAnswer(status));

/** Returns whether a failure leaves the request's outcome unknown. A retry must use the same Idempotency-Key. */
export const isOutcomeUnknown = ({ code, status }: Pick<ApiError, 'code' | 'status'>): boolean =>
  code === 'offline' || code === 'unexpected_answer' || code === 'idempotency_key_in_use' || status >= 500;
