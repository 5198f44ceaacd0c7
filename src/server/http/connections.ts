import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../platform/app-error.ts';
import { requestNotes } from '../platform/request-notes.ts';
import { toProblem } from './problems.ts';
import { sendJson } from './send.ts';

/** The limit for open connections: a quarter of the 1,024 file handles that Linux gives a process. */
const MAX_CONNECTIONS = 256;
/** The limit for extra connections that only get a 503. */
const MAX_REFUSED = 32;

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

interface Connection {
  /** Pending requests. There can be several if a client pipelines them. */
  exchanges: Set<Exchange>;
  hasAsked: boolean;
}

/** The open connections of one or more servers, which share the limit. */
export interface Connections {
  /** The server's request handler. It counts requests before passing them on. */
  handle: RequestListener;
  /** Applies the shared limit to a server's connections. */
  watch(server: Server): void;
  /** Closes connections that never sent a request. Browsers open some in advance. */
  closeUnused(): void;
}

/** Called when a response ends. `arrivedMs` is when the request arrived, on the clock of `performance.now()`. */
type OnRequestEnd = (req: IncomingMessage, res: ServerResponse, arrivedMs: number) => void;

/** Returns whether a request is only waiting for a client that is still sending or isn't reading. */
const waitsForClient = ({ req, res }: Exchange) => !req.complete || res.writableEnded;

const refuse = (req: IncomingMessage, res: ServerResponse) => {
  const { status, body, headers } = toProblem(
    new AppError('too_many_connections', 'dot-mi is handling too many requests. Try again in a moment.', {
      retryAfterSeconds: 1,
    }),
  );
  requestNotes(req).code = body.code;
  sendJson(req, res, status, Buffer.from(JSON.stringify(body)), { ...headers, Connection: 'close' });
};

/**
 * Limits the connections of servers, so that a program that opens hundreds doesn't lock others out.
 *
 * Node's `maxConnections` would refuse new connections, so one program could occupy all of them. Instead, a new
 * connection replaces the one that has been idle longest, or else one that waits for a slow client. Requests in
 * progress and event streams are never cut off. Once those use up the limit, new connections get a 503.
 *
 * `onEnd` gets each request when its response ends, including refused ones and those that were cut off.
 */
export const limitConnections = (handle: RequestListener, onEnd: OnRequestEnd = () => {}): Connections => {
  /** Ordered by the end of their last requests, oldest first. */
  const open = new Map<Socket, Connection>();
  const refused = new Set<Socket>();

  const drop = (socket: Socket) => {
    open.delete(socket);
    refused.delete(socket);
    socket.destroy();
  };

  const findReplaceable = (newcomer: Socket): Socket | undefined => {
    let waiting: Socket | undefined;
    for (const [socket, { exchanges }] of open) {
      if (socket === newcomer) continue;
      if (exchanges.size === 0) return socket;
      if (waiting === undefined && [...exchanges].every(waitsForClient)) waiting = socket;
    }
    return waiting;
  };

  const onConnection = (socket: Socket) => {
    open.set(socket, { exchanges: new Set(), hasAsked: false });
    socket.once('close', () => {
      open.delete(socket);
      refused.delete(socket);
    });
    if (open.size <= MAX_CONNECTIONS) return;
    const replaceable = findReplaceable(socket);
    if (replaceable) drop(replaceable);
    else if (refused.size >= MAX_REFUSED) drop(socket);
    else refused.add(socket);
  };

  const count = (socket: Socket, exchange: Exchange) => {
    const connection = open.get(socket);
    if (!connection) return;
    connection.hasAsked = true;
    connection.exchanges.add(exchange);
    const arrivedMs = performance.now();
    exchange.res.on('close', () => {
      onEnd(exchange.req, exchange.res, arrivedMs);
      connection.exchanges.delete(exchange);
      // The connection is now the newest idle one.
      if (connection.exchanges.size === 0 && open.delete(socket)) open.set(socket, connection);
    });
  };

  return {
    handle(req, res) {
      count(req.socket, { req, res });
      if (refused.has(req.socket) && open.size > MAX_CONNECTIONS) return refuse(req, res);
      refused.delete(req.socket);
      handle(req, res);
    },
    watch: (server) => void server.on('connection', onConnection),
    closeUnused() {
      for (const [socket, { hasAsked }] of open) if (!hasAsked) socket.destroy();
    },
  };
};
