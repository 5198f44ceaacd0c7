import type { Express } from 'express';
import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { AppError } from '../platform/app-error.ts';
import { requestNotes } from '../platform/request-notes.ts';
import type { AccessCheck } from './access.ts';

/** Sends one event to one client. The endpoint's schema for that name checks `data`. */
type SendEvent = (name: string, data: unknown) => void;

/** Subscribes one client. Returns a function that unsubscribes it. */
export type Subscribe = (send: SendEvent) => () => void;

const HEARTBEAT_MS = 15_000;
/** The limit for a client's unread bytes. Beyond it, the client is disconnected, reconnects and rereads everything. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** The limit for open streams, because each one is a connection that stays open. */
const MAX_STREAMS = 32;

/** A server's open streams, across all endpoints. */
interface OpenStreams {
  /** Counts another stream until the returned function is called. Throws `too_many_streams`. */
  open(): () => void;
}

/** Creates an {@link OpenStreams}. */
export const createOpenStreams = (): OpenStreams => {
  let count = 0;
  return {
    open() {
      if (count >= MAX_STREAMS) {
        throw new AppError(
          'too_many_streams',
          `${MAX_STREAMS} event streams are already open, which is the limit. Close one, or poll the routes instead.`,
          { retryAfterSeconds: 5 },
        );
      }
      count++;
      return () => {
        count--;
      };
    },
  };
};

/** Creates a server-sent event stream (HTML Living Standard, 9.2) from an endpoint record with `events`. */
export const bindEventStream = (
  app: Express,
  checkAccess: AccessCheck,
  stopping: AbortSignal,
  streams: OpenStreams,
  endpoint: EndpointShape,
  subscribe: Subscribe,
): void => {
  app.get(endpoint.path, (req, res) => {
    requestNotes(req).route = endpoint.path;
    const caller = checkAccess(req, endpoint);
    const key = caller.kind === 'agent' ? caller.key : undefined;
    key?.markUsed();
    const isFollowed = req.method !== 'HEAD' && !stopping.aborted;
    const closeStream = isFollowed ? streams.open() : undefined;
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    if (!closeStream) {
      res.end();
      return;
    }
    // Tell the client that it's subscribed.
    res.write(': following\n\n');

    const write = (text: string) => {
      if (res.writableEnded) return;
      if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
      else res.write(text);
    };
    const end = () => res.end();
    // SECURITY: a stream outlives its request's access check, so the key is checked again before each event.
    const mayFollow = (name: string): boolean => {
      if (!key) return true;
      if (!key.isValid()) {
        end();
        return false;
      }
      return (endpoint.eventKeys?.[name] ?? []).some((scope) => key.scopes.includes(scope));
    };
    const heartbeat = setInterval(() => {
      if (key && !key.isValid()) end();
      else write(': alive\n\n');
    }, HEARTBEAT_MS);
    stopping.addEventListener('abort', end, { once: true });
    let unsubscribe: (() => void) | undefined;
    res.once('close', () => {
      closeStream();
      clearInterval(heartbeat);
      unsubscribe?.();
      stopping.removeEventListener('abort', end);
    });
    unsubscribe = subscribe((name, data) => {
      if (!mayFollow(name)) return;
      const checked = endpoint.events?.[name]?.parse(data);
      if (checked !== undefined) write(`event: ${name}\ndata: ${JSON.stringify(checked)}\n\n`);
    });
  });
};
