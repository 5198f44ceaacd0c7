import type { Express } from 'express';
import type { EndpointShape, EventAccess } from '../../shared/api/endpoint.ts';
import type { Caller } from '../platform/caller.ts';
import { requestNotes } from '../platform/request-notes.ts';
import type { AccessCheck } from './access.ts';
import type { Admission } from './admission.ts';

/** Sends one event to one client. The endpoint's schema for that name checks `data`. */
type SendEvent = (name: string, data: unknown) => void;

/** Subscribes one client, who sent `caller`'s token. Returns a function that unsubscribes it. */
export type Subscribe = (send: SendEvent, caller: Caller) => () => void;

const HEARTBEAT_MS = 15_000;
/** The limit for a client's unread bytes. Beyond it, the client is disconnected, reconnects and rereads everything. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Returns whether a caller receives an event. An event without a rule is the operator's. */
const receives = (caller: Caller, rule: EventAccess | undefined): boolean => {
  if (caller.kind === 'operator') return true;
  if (!rule) return false;
  const { access, keys } = rule;
  if (caller.kind === 'anyone') return access === 'api';
  return keys !== 'none' && keys.some((scope) => caller.key.scopes.includes(scope));
};

/** Creates a server-sent event stream (HTML Living Standard, 9.2) from an endpoint record with `events`. */
export const bindEventStream = (
  app: Express,
  checkAccess: AccessCheck,
  stopping: AbortSignal,
  admission: Admission,
  endpoint: EndpointShape,
  subscribe: Subscribe,
): void => {
  app.get(endpoint.path, (req, res) => {
    const notes = requestNotes(req);
    notes.route = endpoint.path;
    const caller = checkAccess(req, endpoint);
    notes.isOperator = caller.kind === 'operator';
    const key = caller.kind === 'agent' ? caller.key : undefined;
    key?.markUsed();
    const isFollowed = req.method !== 'HEAD' && !stopping.aborted;
    if (isFollowed) admission.admitStream(req, caller);
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    if (!isFollowed) {
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
      if (key && !key.isValid()) {
        end();
        return false;
      }
      return receives(caller, endpoint.eventAccess?.[name]);
    };
    const heartbeat = setInterval(() => {
      if (key && !key.isValid()) end();
      else write(': alive\n\n');
    }, HEARTBEAT_MS);
    stopping.addEventListener('abort', end, { once: true });
    let unsubscribe: (() => void) | undefined;
    res.once('close', () => {
      clearInterval(heartbeat);
      unsubscribe?.();
      stopping.removeEventListener('abort', end);
    });
    unsubscribe = subscribe((name, data) => {
      if (!mayFollow(name)) return;
      const checked = endpoint.events?.[name]?.parse(data);
      if (checked !== undefined) write(`event: ${name}\ndata: ${JSON.stringify(checked)}\n\n`);
    }, caller);
  });
};
