import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import {
  bodyLimitOf,
  CHANGE_HEADER,
  type CsvShape,
  type EndpointShape,
  needsBody,
  type RequestOf,
  type ResponseOf,
  ROOT_HEADER,
} from '../../shared/api/endpoint.ts';
import { ERRORS } from '../../shared/api/errors.ts';
import { AppError } from '../platform/app-error.ts';
import type { Caller } from '../platform/caller.ts';
import { ClientGoneError, type CurrentRequest, runForRequest } from '../platform/current-request.ts';
import { hasResponse } from '../platform/etag.ts';
import { isShortAscii, PreparedBody } from '../platform/prepared-body.ts';
import { requestNotes } from '../platform/request-notes.ts';
import type { AccessCheck } from './access.ts';
import { type Admission, whileHandling } from './admission.ts';
import type { Subscribe } from './bind-event-stream.ts';
import { checkAnnouncedLength, readJsonBody } from './read-json-body.ts';
import { sendJson, sendNotModified } from './send.ts';
import { parseParts } from './validation.ts';

/** Responds to a request, synchronously if possible. Throws or rejects with the error to report. */
type Responder = (req: IncomingMessage, res: ServerResponse) => Promise<void> | undefined;

/** Remembers how GET requests were routed and parsed, by their full address. See docs/adr/0050. */
interface KnownAddresses {
  /** Remembers how to respond to a valid request's address. */
  remember(req: IncomingMessage, responder: Responder): void;
  /** Returns how to respond to a request, or undefined if it needs Express's router. */
  find(req: IncomingMessage): Responder | undefined;
}

/** Enough for the five files of about 800 agents. */
const MAX_ADDRESSES = 4_096;
/** Longer addresses are rare and would waste memory. */
const MAX_LENGTH = 512;

/** Creates a {@link KnownAddresses}. It doesn't check access: every responder does that again. */
export const createKnownAddresses = (): KnownAddresses => {
  const responders = new LRUCache<string, Responder>({ max: MAX_ADDRESSES });
  return {
    remember({ method, url }, responder) {
      if (method === 'GET' && url !== undefined && url.length <= MAX_LENGTH) responders.set(url, responder);
    },
    find: ({ method, url }) => (method === 'GET' && url !== undefined ? responders.get(url) : undefined),
  };
};

/**
 * Handles an endpoint's parsed request. `originOf` returns the calling page's origin, or the requested address
 * (`http://127.0.0.1:8000`), which the guard checked. Returns the success body or throws an AppError.
 */
export type Handler<E extends EndpointShape> = (
  request: RequestOf<E>,
  caller: Caller,
  originOf: () => string,
) => Answer<E> | Promise<Answer<E>>;

type Answer<E extends EndpointShape> = ResponseOf<E> | PreparedBody<ResponseOf<E>>;

/** Binds one of a feature's endpoints. Created by `createApp`. */
export type Bind = <E extends EndpointShape>(endpoint: E, handler: Handler<E>) => void;

/** Binds an event stream endpoint. */
export type BindStream = (endpoint: EndpointShape, subscribe: Subscribe) => void;

/** Binds all of a feature's endpoints. */
export type Routes = (bind: Bind, bindStream: BindStream) => void;

const JSON_TYPE = 'application/json';
const CSV = 'text/csv';
const TEXT = 'text/plain';

const csvField = (value: string | number | null): string => {
  if (value === null) return '';
  // SECURITY: a spreadsheet would run a stranger's text as a formula.
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Writes a response body as CSV with a header row (RFC 4180). Null becomes an empty field. */
const toCsv = ({ columns, rows }: CsvShape, body: unknown): Buffer =>
  Buffer.from([columns, ...rows(body)].map((row) => `${row.map(csvField).join(',')}\r\n`).join(''));

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;

/** SECURITY: a query of 16 KiB can have thousands of parameters, and no route has so many. */
const MOST_PARAMETERS = 100;

const queryOf = (url: string): Record<string, string | string[]> => {
  const start = url.indexOf('?');
  const query: Record<string, string | string[]> = Object.create(null);
  if (start === -1) return query;
  let count = 0;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    if (++count > MOST_PARAMETERS)
      throw new AppError('invalid_request', `Send at most ${MOST_PARAMETERS} query parameters.`, {
        issues: [],
      });
    const before = query[name];
    // A repeated parameter becomes a list, which a single value's schema refuses.
    if (Array.isArray(before)) before.push(value);
    else query[name] = before === undefined ? value : [before, value];
  }
  return query;
};

type Params = Readonly<Request['params']>;

const parseAddress = (endpoint: EndpointShape, req: IncomingMessage, params: Params) =>
  parseParts([
    ...(endpoint.params ? ([['params', endpoint.params, params]] as const) : []),
    ...(endpoint.query ? ([['query', endpoint.query, queryOf(req.url ?? '')]] as const) : []),
    ...(endpoint.headers ? ([['headers', endpoint.headers, req.headers]] as const) : []),
  ]);

const serialise = (endpoint: EndpointShape, body: unknown): Buffer | string => {
  if (body instanceof PreparedBody) return body.data;
  const text = JSON.stringify(endpoint.success.body.parse(body));
  return isShortAscii(text) ? text : Buffer.from(text);
};

type HeaderSources = NonNullable<EndpointShape['success']['headers']>;

const successHeaders = (sources: HeaderSources, body: unknown) => {
  const headers: Record<string, string> = {};
  for (const [name, { from }] of Object.entries(sources)) {
    const value = from(body instanceof PreparedBody ? body.headerFields : body);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
};

const originOf = ({ headers: { origin, host } }: IncomingMessage): string =>
  (origin ?? `http://${host}`).toLowerCase();

/** What {@link bindEndpoint} checks before it reads a request, and the addresses that it remembers. */
interface BindDeps {
  readonly checkAccess: AccessCheck;
  readonly admission: Admission;
  /** Identifies the managed root. */
  readonly rootId: string;
  readonly addresses: KnownAddresses;
}

/** Refuses a request for another root, so that two roots' files are never confused. */
const checkRoot = (req: IncomingMessage, rootId: string): void => {
  const named = req.headers[ROOT_HEADER];
  if (named !== undefined && named !== rootId)
    throw new AppError('root_changed', ERRORS.root_changed.message);
};

/**
 * Creates a validated Express route from an endpoint record and its handler.
 *
 * The checks run in this order: access, the named root, params, query and headers, the body, whether the caller has a
 * place, and then the handler's own checks. The endpoint's schema also parses the response. A body that breaks the contract becomes a 500 and is
 * never sent.
 *
 * A later GET of the same address gets its parsed request from {@link KnownAddresses} and is handled the same way.
 */
export const bindEndpoint = <E extends EndpointShape>(
  app: Express,
  { checkAccess, admission, rootId, addresses }: BindDeps,
  endpoint: E,
  handler: Handler<E>,
): void => {
  const bodyLimitBytes = bodyLimitOf(endpoint);

  const { status, csv, text, conditional, headers: sources } = endpoint.success;

  /** Serializes a body as the type that the client prefers. */
  const written = (body: unknown, type: string): Buffer | string => {
    if (csv && type === CSV) return toCsv(csv, endpoint.success.body.parse(body));
    if (!text) return serialise(endpoint, body);
    return Buffer.from(type === TEXT ? text(body) : `${JSON.stringify(body, undefined, 1)}\n`);
  };

  const response = (
    req: IncomingMessage,
    res: ServerResponse,
    body: unknown,
    type: string,
    change: string | undefined,
  ) => {
    const headers: Record<string, string> = sources ? successHeaders(sources, body) : {};
    if (endpoint.records && change !== undefined) headers[CHANGE_HEADER] = change;
    if (conditional && body instanceof PreparedBody && body.etag !== undefined) {
      if (hasResponse(req.headers['if-none-match'], body.etag)) return sendNotModified(res, body.etag);
      headers.ETag = body.etag;
    }
    if (!csv && !text) return sendJson(req, res, status, serialise(endpoint, body), headers);
    return sendJson(req, res, status, written(body, type), {
      ...headers,
      ...(type === CSV ? { 'Content-Type': 'text/csv; charset=utf-8; header=present' } : {}),
      ...(type === TEXT ? { 'Content-Type': 'text/plain; charset=utf-8' } : {}),
      Vary: 'Accept',
    });
  };

  // Only for a request without a body, because this compiles the schema, which takes too long for each route at start.
  const bodyIfMissing = () => (needsBody(endpoint) ? undefined : {});

  const isRead = endpoint.method === 'GET';

  // These depend only on the address.
  const canRemember = endpoint.method === 'GET' && !endpoint.body && !endpoint.headers && !csv && !text;

  /** Checks the caller's access and the root. */
  const check = (req: IncomingMessage, params: Params): Caller => {
    const id = typeof params.id === 'string' ? params.id : undefined;
    const notes = requestNotes(req);
    notes.route = endpoint.path;
    notes.agent = id;
    const caller = checkAccess(req, endpoint, id);
    notes.isOperator = caller.kind === 'operator';
    if (endpoint.ofRoot) checkRoot(req, rootId);
    if (caller.kind === 'agent' && endpoint.access !== 'open') caller.key.markUsed();
    return caller;
  };

  const handle = (
    req: IncomingMessage,
    res: ServerResponse,
    request: object,
    caller: Caller,
    type: string,
  ): Promise<void> | undefined => {
    const notes = requestNotes(req);
    if (notes.isGone) throw new ClientGoneError();
    admission.admit(req, caller, endpoint.access);
    const current: CurrentRequest = { caller, isRead, hasBegun: false, isGone: () => notes.isGone };
    const body = runForRequest(current, () => handler(request as RequestOf<E>, caller, () => originOf(req)));
    // Awaiting a value that's already available would take as long as the checks.
    if (body instanceof Promise)
      return whileHandling(req, body).then((later) => response(req, res, later, type, current.change));
    response(req, res, body, type, current.change);
    return undefined;
  };

  const respondToBody = async (
    req: IncomingMessage,
    res: ServerResponse,
    address: object,
    caller: Caller,
    type: string,
  ) => {
    checkAnnouncedLength(req, bodyLimitBytes);
    admission.admitBody(req, caller, bodyLimitBytes);
    const body = (await readJsonBody(req, res, bodyLimitBytes)) ?? bodyIfMissing();
    const parts = endpoint.body ? parseParts([['body', endpoint.body, body]]) : {};
    await handle(req, res, { ...address, ...parts }, caller, type);
  };

  const respond = (
    req: IncomingMessage,
    res: ServerResponse,
    params: Params,
    type: string,
    known?: object,
  ): Promise<void> | undefined => {
    const caller = check(req, params);
    const address = known ?? parseAddress(endpoint, req, params);
    if (endpoint.body) return respondToBody(req, res, address, caller, type);
    checkAnnouncedLength(req, bodyLimitBytes);
    if (canRemember && !known)
      addresses.remember(req, (again, answering) => respond(again, answering, params, type, address));
    return handle(req, res, address, caller, type);
  };

  app[METHODS[endpoint.method]](endpoint.path, (req: Request, res: Response) => {
    const types = [JSON_TYPE, ...(csv ? [CSV] : []), ...(text ? [TEXT] : [])];
    const type = types.length > 1 ? req.accepts(types) || JSON_TYPE : JSON_TYPE;
    return respond(req, res, req.params, type);
  });
};
