/** The part of a socket that a {@link ConnectionLimit} needs. */
interface Closable {
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Limits how many connections are open, how many requests each has, and how much of their responses is unread.
 * `Exchange` is a request with its response.
 */
interface ConnectionLimit<Socket extends Closable, Exchange> {
  /** Counts a new connection, which can close another one. */
  open(socket: Socket): void;
  /** Notes that a request began. Returns false if its connection has too many, which closes it. */
  begin(socket: Socket, exchange: Exchange): boolean;
  /** Notes that a response is complete, of which `bytes` wait for the client. That can close a connection. */
  wait(socket: Socket, exchange: Exchange, bytes: number): void;
  /** Notes that a response ended. */
  end(socket: Socket, exchange: Exchange): void;
  /** Closes connections that never sent a request. Browsers open some in advance. */
  closeUnused(): void;
}

interface ConnectionLimitOptions<Exchange> {
  /** How many connections are open at once. Only connections with work in progress can exceed it. */
  readonly most: number;
  /** Returns whether a request is in progress. Others wait for their client, and their connection can be closed. */
  isBusy(exchange: Exchange): boolean;
  /** Returns whether a request proved that its sender is somebody to close last. */
  isTrusted(exchange: Exchange): boolean;
}

interface Connection<Exchange> {
  /** Pending requests. There can be several if a client pipelines them. */
  readonly exchanges: Set<Exchange>;
  hasAsked: boolean;
  isTrusted: boolean;
}

/** Pending requests of one connection. Browsers don't pipeline. */
const MOST_PIPELINED = 16;

/** Bytes of complete responses that wait for their clients. Programs on the same computer read at once. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;

/** The newest connections without a request. Their requests may be about to arrive, so they are closed late. */
const NEWEST_KEPT = 32;

/**
 * Creates a {@link ConnectionLimit}. A program that opens hundreds of connections can't lock others out, because a new
 * connection replaces one that waits for its client: one without a request, or else one whose request is incomplete,
 * not admitted or not being read. The one that has waited longest goes first.
 */
export const createConnectionLimit = <Socket extends Closable, Exchange>({
  most,
  isBusy,
  isTrusted,
}: ConnectionLimitOptions<Exchange>): ConnectionLimit<Socket, Exchange> => {
  /** Ordered by their last change, oldest first. */
  const connections = new Map<Socket, Connection<Exchange>>();
  /** Complete responses that their clients haven't read, oldest first. */
  const unread = new Map<Exchange, { readonly socket: Socket; readonly bytes: number }>();
  let unreadBytes = 0;

  const findReplaceable = (newcomer: Socket): Socket | undefined => {
    const idle: Socket[] = [];
    let waiting: Socket | undefined;
    let trustedIdle: Socket | undefined;
    let trustedWaiting: Socket | undefined;
    for (const [socket, { exchanges, isTrusted: hasTrust }] of connections) {
      if (socket === newcomer) continue;
      if (exchanges.size === 0) {
        if (hasTrust) trustedIdle ??= socket;
        else idle.push(socket);
      } else if (![...exchanges].some(isBusy)) {
        if (hasTrust || [...exchanges].some(isTrusted)) trustedWaiting ??= socket;
        else waiting ??= socket;
      }
    }
    if (idle.length > NEWEST_KEPT) return idle[0];
    return waiting ?? trustedIdle ?? idle[0] ?? trustedWaiting;
  };

  const drop = (socket: Socket) => {
    connections.delete(socket);
    socket.destroy();
  };

  const forget = (exchange: Exchange) => {
    unreadBytes -= unread.get(exchange)?.bytes ?? 0;
    unread.delete(exchange);
  };

  const moveToEnd = (socket: Socket, connection: Connection<Exchange>) => {
    if (connections.delete(socket)) connections.set(socket, connection);
  };

  return {
    open(socket) {
      connections.set(socket, { exchanges: new Set(), hasAsked: false, isTrusted: false });
      socket.once('close', () => connections.delete(socket));
      if (connections.size <= most) return;
      drop(findReplaceable(socket) ?? socket);
    },
    begin(socket, exchange) {
      const connection = connections.get(socket);
      if (!connection) return false;
      connection.hasAsked = true;
      connection.exchanges.add(exchange);
      if (connection.exchanges.size === 1) moveToEnd(socket, connection);
      if (connection.exchanges.size <= MOST_PIPELINED) return true;
      drop(socket);
      return false;
    },
    wait(socket, exchange, bytes) {
      if (bytes === 0) return;
      unread.set(exchange, { socket, bytes });
      unreadBytes += bytes;
      while (unreadBytes > MOST_UNREAD_BYTES) {
        const waiting = [...unread];
        const [first] = waiting.filter(([each]) => !isTrusted(each)).concat(waiting);
        if (!first) return;
        forget(first[0]);
        drop(first[1].socket);
      }
    },
    end(socket, exchange) {
      forget(exchange);
      const connection = connections.get(socket);
      if (!connection?.exchanges.delete(exchange)) return;
      connection.isTrusted = isTrusted(exchange);
      if (connection.exchanges.size === 0) moveToEnd(socket, connection);
    },
    closeUnused() {
      for (const [socket, { hasAsked }] of connections) if (!hasAsked) socket.destroy();
    },
  };
};
