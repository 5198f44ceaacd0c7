import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { prepaidKeyOf } from '../../../../resources/starter-root/shared/lib/customer-request.mjs';

/**
 * The headers that let pages of other origins use a service (CORS). SECURITY: without `Allow-Credentials`, browsers send
 * no cookies, and a service has none. dot-mi's own API has no such headers.
 */
export const FOR_PAGES: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  // The wildcard doesn't include Authorization.
  'Access-Control-Allow-Headers': '*, Authorization, X-Cashu',
  'Access-Control-Expose-Headers': 'X-Cashu, X-Cashu-Refund-Url, Retry-After, WWW-Authenticate',
  'Access-Control-Max-Age': '7200',
};

const KNOWN_PATH =
  /^(\/v1)?(\/(?:chat\/completions|models|info|balance|wallet)(?:\/[^?]*?[^?/])?)\/?(\?.*)?$/s;

/** Returns the usual name of a request's URL. Some clients leave out `/v1`, or add a slash. */
export const usualUrl = (url: string): string => {
  const [, , path, query = ''] = KNOWN_PATH.exec(url) ?? [];
  return path === undefined ? url : `/v1${path}${query}`;
};

/** Returns a request's path without its query. */
export const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

/** Returns whether a request is a person's, who reads a page. Programs get JSON. */
export const wantsPage = ({ headers }: IncomingMessage): boolean =>
  /\btext\/html\b/i.test(headers.accept ?? '');

const HOST = /^[a-z0-9.-]{1,253}(?::\d{1,5})?$|^\[[0-9a-f:.]{2,45}\](?::\d{1,5})?$/i;

/** Returns the address at which a customer reached the service, such as `https://example.com/`, for an example to copy. */
export const addressOf = ({ headers }: IncomingMessage): string => {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const { host = '' } = headers;
  return `${scheme}://${HOST.test(host) ? host : 'localhost'}/`;
};

/** Returns whether a request without a token has an `Authorization` that can't be the key of a prepaid balance. */
export const hasOtherKey = (req: IncomingMessage): boolean =>
  req.headers['x-cashu'] === undefined &&
  req.headers.authorization !== undefined &&
  prepaidKeyOf(req) === undefined;

const JSON_HEADERS: OutgoingHttpHeaders = { 'Content-Type': 'application/json' };

/** Sends a response that costs nothing. */
export const sendFree = (
  res: ServerResponse,
  status: number,
  text: string,
  headers: OutgoingHttpHeaders = JSON_HEADERS,
): void => {
  res.writeHead(status, { ...headers, 'Cache-Control': 'no-store', Vary: 'Accept' });
  res.end(text);
};

const refusal = (code: string, type: string, message: string) =>
  JSON.stringify({ error: { message, type, code } });

/** For a model that the service doesn't sell. */
export const NO_MODEL = refusal(
  'model_not_found',
  'invalid_request_error',
  'This service sells one model only. GET /v1/models names it.',
);

/** For a bearer that can't be a prepaid balance's key. */
export const NO_KEY = refusal(
  'invalid_api_key',
  'authentication_error',
  'This is not the key of a prepaid balance. Pay with a token in X-Cashu, or get a key at /v1/balance/create.',
);

/** For a service that can't be used now. */
export const notReady = (message: string) => refusal('service_unavailable', 'api_error', message);
