import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../platform/app-error.ts';
import { answerJson } from './answer.ts';
import { toProblem } from './problems.ts';

/** How many connections are open at most: a quarter of the 1,024 file handles that Linux gives a process. */
const MAX_CONNECTIONS = 256;
/** Further ones that are kept only to be told so. */
const MAX_REFUSED = 32;

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
}

interface Connection {
  /** Requests that aren't answered yet; several when a client sends ahead. */
  exchanges: Set<Exchange>;
  hasAsked: boolean;
}

/** The open connections of one server or several, which share the bound. */
export interface Connections {
  /** The handler to make a server with; it counts requests on their way to the real one. */
  handle: RequestListener;
  /** Bounds the connections of a server, together with those of the others. */
  watch(server: Server): void;
  /** Closes the connections that never asked anything, as browsers open them ahead. */
  closeUnused(): void;
}

/** Whether only the client keeps a request from being over: it still sends, or it doesn't read. */
const waitsForClient = ({ req, res }: Exchange) => !req.complete || res.writableEnded;

const refuse = (req: IncomingMessage, res: ServerResponse) => {
  const { status, body, headers } = toProblem(
    new AppError('too_many_connections', 'dot-mi is handling too many requests. Try again in a second.', {
      retryAfterSeconds: 1,
    }),
  );
  answerJson(req, res, status, Buffer.from(JSON.stringify(body)), { ...headers, Connection: 'close' });
};

/**
 * Bounds the connections of servers, so that a program that opens hundreds keeps nobody else out.
 *
 * Node's `maxConnections` would refuse the newcomer, and one program that holds them all would be the only one served. So the
 * newcomer gets the place of the connection that has been without a request longest. If there is none, it gets the place of one that
 * waits only for its client: one that sends its body slowly, or doesn't read the answer. Requests that dot-mi is working on and
 * event streams are never cut off. Once all places are taken by those, newcomers get 503.
 */
export const limitConnections = (handle: RequestListener): Connections => {
  /** Oldest first, counted from the end of the last request. */
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
    exchange.res.once('close', () => {
      connection.exchanges.delete(exchange);
      // Now it is the youngest of those without a request.
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
