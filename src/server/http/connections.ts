import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createConnectionLimit } from '../../shared/connection-limit.ts';
import { freeRequest, requestNotes } from '../platform/request-notes.ts';
import { MAX_ADMITTED } from './admission.ts';

/** Connections whose request isn't admitted. There can be more while fewer are admitted. */
const MAX_WAITING = 32;

interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
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

/**
 * Limits the connections of servers. A new connection replaces one whose request isn't admitted (`admission.ts`): it
 * never came, is incomplete, has a wrong token or was answered. Connections that leave too many requests pending or too
 * much unread are closed. Admitted requests and event streams are otherwise never cut off.
 *
 * `onEnd` gets each request when its response ends, including refused ones and those that were cut off.
 */
export const limitConnections = (handle: RequestListener, onEnd: OnRequestEnd = () => {}): Connections => {
  const limit = createConnectionLimit<Socket, Exchange>({
    most: MAX_ADMITTED + MAX_WAITING,
    isBusy: ({ req }) => requestNotes(req).leave !== undefined,
    isTrusted: ({ req }) => requestNotes(req).isOperator,
  });

  /** Returns whether to handle a request. */
  const count = (exchange: Exchange): boolean => {
    const { req, res } = exchange;
    const { socket } = req;
    if (!limit.begin(socket, exchange)) return false;
    const arrivedMs = performance.now();
    res.once('prefinish', () => limit.wait(socket, exchange, res.writableLength));
    res.on('close', () => {
      const notes = requestNotes(req);
      notes.isGone = true;
      // SECURITY: a handler continues without its client. Otherwise clients that leave could start any amount of work.
      if (!notes.isHandling) freeRequest(notes);
      onEnd(req, res, arrivedMs);
      limit.end(socket, exchange);
    });
    return true;
  };

  return {
    handle(req, res) {
      if (count({ req, res })) handle(req, res);
    },
    watch: (server) => void server.on('connection', limit.open),
    closeUnused: limit.closeUnused,
  };
};
