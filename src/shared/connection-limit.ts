/** The part of a socket that a {@link ConnectionLimit} needs. */
interface Closable {
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** Limits how many connections are open. `Exchange` is a request with its response. */
export interface ConnectionLimit<Socket extends Closable, Exchange> {
  /** Counts a new connection, which can close another one. */
  open(socket: Socket): void;
  /** Notes that a request began. */
  begin(socket: Socket, exchange: Exchange): void;
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

  const moveToEnd = (socket: Socket, connection: Connection<Exchange>) => {
    if (connections.delete(socket)) connections.set(socket, connection);
  };

  return {
    open(socket) {
      connections.set(socket, { exchanges: new Set(), hasAsked: false, isTrusted: false });
      socket.once('close', () => connections.delete(socket));
      if (connections.size <= most) return;
      const replaceable = findReplaceable(socket) ?? socket;
      connections.delete(replaceable);
      replaceable.destroy();
    },
    begin(socket, exchange) {
      const connection = connections.get(socket);
      if (!connection) return;
      connection.hasAsked = true;
      connection.exchanges.add(exchange);
      if (connection.exchanges.size === 1) moveToEnd(socket, connection);
    },
    end(socket, exchange) {
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
