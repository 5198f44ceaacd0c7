import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestNotes } from '../platform/request-notes.ts';

const LINGER_MS = 500;
const SMALL_BODY_BYTES = 64 * 1024;

/** The headers of every API response. */
const COMMON_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** Returns whether the unread rest of a request's body is too large to read just to discard it. */
const hasLargeUnreadBody = (req: IncomingMessage): boolean => {
  if (req.complete) return false;
  const announced = req.headers['content-length'];
  return announced === undefined
    ? req.headers['transfer-encoding'] !== undefined
    : Number(announced) > SMALL_BODY_BYTES;
};

/**
 * Ends the connection after the response without reading the rest of the request.
 *
 * Closing a socket with unread data resets it, and a client that is still sending may then lose the response. So our
 * side closes first, and the socket a moment later.
 */
const closeWithoutReading = (req: IncomingMessage) => {
  const { socket } = req;
  // This marks the body as handled. Otherwise, Node would read all of it.
  req.pause();
  req.read(0);
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
};

/** Responds that the client already has the version with this ETag. */
export const sendNotModified = (res: ServerResponse, etag: string): void => {
  requestNotes(res.req).leave?.();
  const { 'Content-Type': _, ...headers } = COMMON_HEADERS;
  res.writeHead(304, { ...headers, ETag: etag });
  res.end();
};

/**
 * Sends one serialized response. Every API response passes through here. It's JSON unless `headers` has another
 * `Content-Type`. Text must be ASCII, because Node sends it in one piece with the headers.
 */
export const sendJson = (
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  json: Buffer | string,
  headers: Readonly<Record<string, string>> = {},
): void => {
  // A client that doesn't read must not use a place.
  requestNotes(req).leave?.();
  const cutOff = hasLargeUnreadBody(req);
  if (cutOff) closeWithoutReading(req);
  const fields = { ...COMMON_HEADERS, 'Content-Length': json.length, ...headers };
  res.writeHead(status, cutOff ? { ...fields, Connection: 'close' } : fields);
  if (typeof json === 'string') res.end(json, 'latin1');
  else res.end(json);
};
