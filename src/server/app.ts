import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { EndpointShape } from '../shared/api/endpoint.ts';
import { endpoints } from '../shared/api/index.ts';
import { KEY_SCOPES } from '../shared/api/key-scopes.ts';
import type { Access, AccessCheck } from './http/access.ts';
import type { Admission } from './http/admission.ts';
import {
  type Bind,
  type BindStream,
  bindEndpoint,
  createKnownAddresses,
  type Routes,
} from './http/bind-endpoint.ts';
import { bindEventStream } from './http/bind-event-stream.ts';
import type { Guard } from './http/loopback-guard.ts';
import { endpointsAt, type MayUse, methodNotAllowed, nearestRoutes, routeNotFound } from './http/no-route.ts';
import { sendEarlierRun } from './http/page.ts';
import { toProblem } from './http/problems.ts';
import { sendJson } from './http/send.ts';
import { AppError } from './platform/app-error.ts';
import { ClientGoneError } from './platform/current-request.ts';
import type { Logger, ReportShortage } from './platform/logger.ts';
import { requestNotes } from './platform/request-notes.ts';

/** Dependencies of {@link createApp}. `start.ts` creates them. */
interface AppDeps {
  guard: Guard;
  checkAccess: AccessCheck;
  admitToken: Access['admit'];
  /** Identifies the managed root. Requests for another root are refused. */
  rootId: string;
  routes: readonly Routes[];
  /** Aborted when the server stops, which also ends event streams. */
  stopping: AbortSignal;
  admission: Admission;
  /** Handles the page for every path outside `/api`. Undefined if no page was built. */
  page?: RequestHandler | undefined;
  logger: Logger;
  reportShortage: ReportShortage;
}

const isBadPercentEncoding = (error: unknown) => error instanceof URIError;

/** Returns a function that checks which endpoints a request's caller can use. */
const mayUseFor =
  (checkAccess: AccessCheck, req: IncomingMessage): MayUse =>
  (endpoint, agentId) => {
    try {
      checkAccess(req, endpoint, agentId);
      return true;
    } catch {
      return false;
    }
  };

const endpointOf = new Map<string, EndpointShape>(
  endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]),
);

type ErrorHandlerDeps = Pick<AppDeps, 'checkAccess' | 'logger' | 'reportShortage'>;

/** Sends an error response. Returns false if the response has already started. */
type ResponseError = (error: unknown, req: IncomingMessage, res: ServerResponse) => boolean;

/** Responds to every error in the same format and logs unexpected ones. */
const createSendError =
  ({ checkAccess, logger, reportShortage }: ErrorHandlerDeps): ResponseError =>
  (error, req, res) => {
    if (error instanceof ClientGoneError) return true;
    const { status, body, headers, unexpected } = toProblem(
      isBadPercentEncoding(error)
        ? new AppError(
            'invalid_request',
            'The path is not valid, because a "%" in it doesn’t start a valid escape. Write a literal "%" as "%25".',
            {},
            error,
          )
        : error,
      ({ route, agentId }) => {
        const endpoint = endpointOf.get(route);
        return endpoint !== undefined && mayUseFor(checkAccess, req)(endpoint, agentId);
      },
    );
    requestNotes(req).code = body.code;
    if (unexpected)
      logger.error(
        { err: unexpected, method: req.method, route: requestNotes(req).route },
        'unexpected error',
      );
    if (body.code === 'too_many_open_files') reportShortage(error);
    if (res.headersSent) return false;
    sendJson(req, res, status, Buffer.from(JSON.stringify(body)), headers);
    return true;
  };

/** Any key can call unknown routes, and learn that they don't exist. */
const UNKNOWN_ROUTE = { access: 'api', keys: KEY_SCOPES } as const;

const requireInContract = (endpoint: EndpointShape) => {
  if (!endpoints.includes(endpoint)) throw new Error(`${endpoint.id} is not in the contract`);
};

/**
 * Creates the handler for all requests: guards, API routes, the page, 404, 405 and error responses.
 *
 * Express routes the first request to each address. Later GETs bypass Express but use the same guard, checks and
 * code. See docs/adr/0050.
 */
export const createApp = ({
  guard,
  checkAccess,
  admitToken,
  rootId,
  routes,
  stopping,
  admission,
  page,
  logger,
  reportShortage,
}: AppDeps): RequestListener => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');

  const addresses = createKnownAddresses();
  const bind: Bind = (endpoint, handler) => {
    requireInContract(endpoint);
    bindEndpoint(app, { checkAccess, admission, rootId, addresses }, endpoint, handler);
  };
  const bindStream: BindStream = (endpoint, subscribe) => {
    requireInContract(endpoint);
    bindEventStream(app, checkAccess, stopping, admission, endpoint, subscribe);
  };
  for (const bindRoutes of routes) bindRoutes(bind, bindStream);

  app.use('/api', (req) => {
    const offered = endpointsAt(endpoints, `${req.baseUrl}${req.path}`);
    const path = offered[0]?.path;
    requestNotes(req).route = path;
    const caller = checkAccess(req, UNKNOWN_ROUTE);
    admission.admit(req, caller, UNKNOWN_ROUTE.access);
    if (path !== undefined) throw methodNotAllowed(req.method, path, offered, mayUseFor(checkAccess, req));
    throw routeNotFound(nearestRoutes(endpoints, req.method, req.path, mayUseFor(checkAccess, req)));
  });
  if (page) app.use(page);
  app.use((req) => {
    // SECURITY: every website can send such a request, so only an exact path is looked up.
    const meant = endpointsAt(endpoints, `/api${req.path}`).find(({ method }) => method === req.method);
    throw routeNotFound(meant ? [`${meant.method} /api${req.path}`] : []);
  });
  const sendError = createSendError({ checkAccess, logger, reportShortage });
  const onError: ErrorRequestHandler = (error, req, res, next) => {
    // If the response has already started, Express closes the connection.
    if (!sendError(error, req, res)) next(error);
  };
  app.use(onError);

  return (req, res) => {
    const fail = (error: unknown) => {
      if (!sendError(error, req, res)) req.socket.destroy();
    };
    const respond = () => {
      const responder = addresses.find(req);
      if (!responder) return app(req, res);
      try {
        responder(req, res)?.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    try {
      guard(req);
    } catch (error) {
      const isOtherHost = error instanceof AppError && error.code === 'forbidden_host';
      return isOtherHost && sendEarlierRun(req, res) ? undefined : fail(error);
    }
    admitToken(req, res, respond);
  };
};
