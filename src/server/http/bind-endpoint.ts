import type { Express, NextFunction, Request, Response } from 'express';
import {
  DEFAULT_BODY_LIMIT_BYTES,
  type EndpointShape,
  type RequestOf,
  type ResponseOf,
} from '../../shared/api/endpoint.ts';
import { PreparedBody } from '../platform/prepared-body.ts';
import type { AccessCheck } from './access.ts';
import { answerJson } from './answer.ts';
import type { Subscribe } from './bind-event-stream.ts';
import { checkAnnouncedLength, readJsonBody } from './read-json-body.ts';
import { parseParts } from './validation.ts';

/** What a request says about its sender. */
export interface Caller {
  /** `http://127.0.0.1:8000`: the page that asks, or the address that was called. The guard has checked it. */
  readonly origin: string;
  /** Whether the sender may use routes of this access; a route that others may use too can say less to them. */
  may(access: EndpointShape['access']): boolean;
}

/** Answers an endpoint: is given its parsed request and returns the body of its success, or throws an AppError. */
export type Handler<E extends EndpointShape> = (
  request: RequestOf<E>,
  caller: Caller,
) => Answer<E> | Promise<Answer<E>>;

type Answer<E extends EndpointShape> = ResponseOf<E> | PreparedBody<ResponseOf<E>>;

/** A feature's way to bind its endpoints; made by `createApp`. */
export type Bind = <E extends EndpointShape>(endpoint: E, handler: Handler<E>) => void;

/** A feature's way to bind an endpoint that is an event stream. */
export type BindStream = (endpoint: EndpointShape, subscribe: Subscribe) => void;

/** Routes of a feature: binds each of its endpoints. */
export type Routes = (bind: Bind, bindStream: BindStream) => void;

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;

const queryOf = (url: string): Record<string, string | string[]> => {
  const start = url.indexOf('?');
  const query: Record<string, string | string[]> = Object.create(null);
  if (start === -1) return query;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const before = query[name];
    // A repeated parameter becomes a list, which the schema of a single value refuses.
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
};

const parseAddress = (endpoint: EndpointShape, req: Request) =>
  parseParts([
    ...(endpoint.params ? ([['params', endpoint.params, req.params]] as const) : []),
    ...(endpoint.query ? ([['query', endpoint.query, queryOf(req.url)]] as const) : []),
    ...(endpoint.headers ? ([['headers', endpoint.headers, req.headers]] as const) : []),
  ]);

/** Serialised answers of frozen bodies: a body that cannot change need not be checked and written out again. */
const serialised = new WeakMap<object, Buffer>();

const serialise = (endpoint: EndpointShape, body: unknown): Buffer => {
  if (body instanceof PreparedBody) return body.json;
  const known = serialised.get(body as object);
  if (known) return known;
  const json = Buffer.from(JSON.stringify(endpoint.success.body.parse(body)));
  if (Object.isFrozen(body)) serialised.set(body as object, json);
  return json;
};

const successHeaders = (endpoint: EndpointShape, body: unknown) => {
  const headers: Record<string, string> = {};
  for (const [name, { from }] of Object.entries(endpoint.success.headers ?? {})) {
    const value = from(body instanceof PreparedBody ? body.about : body);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
};

const callerOf = (req: Request, checkAccess: AccessCheck): Caller => ({
  get origin() {
    return (req.headers.origin ?? `http://${req.headers.host}`).toLowerCase();
  },
  may(access) {
    try {
      checkAccess(req, access);
      return true;
    } catch {
      return false;
    }
  },
});

/**
 * Makes a validated Express route of an endpoint record and its handler.
 *
 * Order of checks: access, params and query, then the body, then whatever the handler finds on disk. The answer is
 * parsed with the endpoint's schema too, serialised once and ended here: a body that is not what the contract says
 * is a 500 and never leaves. A handler that returns the same frozen object again costs no second serialisation.
 */
export const bindEndpoint = <E extends EndpointShape>(
  app: Express,
  checkAccess: AccessCheck,
  endpoint: E,
  handler: Handler<E>,
): void => {
  const bodyLimitBytes = endpoint.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;

  const answer = (req: Request, res: Response, body: unknown) =>
    answerJson(req, res, endpoint.success.status, serialise(endpoint, body), successHeaders(endpoint, body));

  const run = async (req: Request, res: Response) => {
    const request = parseAddress(endpoint, req);
    if (endpoint.body) {
      const body = await readJsonBody(req, res, bodyLimitBytes);
      Object.assign(request, parseParts([['body', endpoint.body, body]]));
    } else {
      checkAnnouncedLength(req, bodyLimitBytes);
    }
    answer(req, res, await handler(request as RequestOf<E>, callerOf(req, checkAccess)));
  };

  app[METHODS[endpoint.method]](endpoint.path, (req: Request, res: Response, next: NextFunction) => {
    checkAccess(req, endpoint.access);
    run(req, res).catch(next);
  });
};
