import type { Express } from 'express';
import type { EndpointShape } from '../../shared/api/endpoint.ts';
import type { AccessCheck } from './access.ts';

/** Sends one event to one follower; `data` is checked with the endpoint's schema of that name. */
export type SendEvent = (name: string, data: unknown) => void;

/** Follows something for one client; the result ends it. */
export type Subscribe = (send: SendEvent) => () => void;

const HEARTBEAT_MS = 15_000;
/** A follower that reads nothing is dropped past this; it comes back and reads everything anew. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Makes a server-sent event stream (HTML Living Standard, 9.2) of an endpoint record with `events`. */
export const bindEventStream = (
  app: Express,
  checkAccess: AccessCheck,
  stopping: AbortSignal,
  endpoint: EndpointShape,
  subscribe: Subscribe,
): void => {
  app.get(endpoint.path, (req, res) => {
    checkAccess(req, endpoint.access);
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    if (req.method === 'HEAD' || stopping.aborted) {
      res.end();
      return;
    }
    // The client knows that it is followed from here on.
    res.write(': following\n\n');

    const write = (text: string) => {
      if (res.writableEnded) return;
      if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
      else res.write(text);
    };
    const heartbeat = setInterval(() => write(': alive\n\n'), HEARTBEAT_MS);
    const unsubscribe = subscribe((name, data) => {
      const checked = endpoint.events?.[name]?.parse(data);
      if (checked !== undefined) write(`event: ${name}\ndata: ${JSON.stringify(checked)}\n\n`);
    });
    const end = () => res.end();
    stopping.addEventListener('abort', end, { once: true });
    res.once('close', () => {
      clearInterval(heartbeat);
      unsubscribe();
      stopping.removeEventListener('abort', end);
    });
  });
};
