import type { IncomingMessage } from 'node:http';
import { createShares } from '../../../resources/starter-root/shared/lib/shares.mjs';
import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { AppError } from '../platform/app-error.ts';
import type { Caller } from '../platform/caller.ts';
import { freeRequest, requestNotes } from '../platform/request-notes.ts';

/**
 * The kinds of callers that have a share of the server of their own. A visitor is anyone who loads the page or asks what
 * a page asks before it signs in.
 */
type Kind = 'operator' | 'page' | 'agent' | 'anyone' | 'visitor';

/** Requests in progress. A browser opens at most six connections to a page. */
const RESERVED = { operator: 32, page: 16, agent: 32, anyone: 32, visitor: 16 } as const satisfies Record<
  Kind,
  number
>;
const COMMON = 192;

/** The limit for requests in progress: a third of the 1,024 file handles that Linux gives a process. */
export const MAX_ADMITTED = Object.values(RESERVED).reduce((sum, places) => sum + places, COMMON);

/** Event streams, each of which is also a request in progress. */
const RESERVED_STREAMS = { operator: 8, page: 8, agent: 8, anyone: 8, visitor: 0 } as const satisfies Record<
  Kind,
  number
>;
const COMMON_STREAMS = 16;

const MIB = 1024 * 1024;

/** Bytes of bodies that are being received or handled. The operator and the page have room for the largest one, a draft. */
const RESERVED_BYTES = {
  operator: 40 * MIB,
  page: 40 * MIB,
  agent: 16 * MIB,
  anyone: 16 * MIB,
  visitor: 0,
} as const satisfies Record<Kind, number>;
const COMMON_BYTES = 64 * MIB;

/** Smaller bodies need no room: there can't be more of them than connections. */
const SMALL_BODY_BYTES = 64 * 1024;

/** Gives requests their place among those in progress. */
export interface Admission {
  /**
   * Takes a place for a request, until its response is complete, or its client left and its handler returned. Call it once
   * the body is complete, because a client that sends slowly must not use one. Throws `too_many_connections`.
   */
  admit(req: IncomingMessage, caller: Caller, access: EndpointShape['access']): void;
  /** As `admit`, for the page's files. */
  admitPage(req: IncomingMessage): void;
  /**
   * Takes room for a request's body until the response ended and the handler returned, for `limitBytes` if its length
   * isn't known. Throws `too_many_connections`.
   */
  admitBody(req: IncomingMessage, caller: Caller, limitBytes: number): void;
  /** As `admit`, for an event stream. Throws `too_many_streams` too. */
  admitStream(req: IncomingMessage, caller: Caller): void;
}

// SECURITY: only a token proves a kind, so nobody else can use the places of the operator and the agents.
const kindOf = (req: IncomingMessage, caller: Caller): Kind => {
  if (caller.kind !== 'operator') return caller.kind;
  return requestNotes(req).sender === 'page' ? 'page' : 'operator';
};

/** Returns the result of a request's handler. Until it's there, the request keeps its place, also without its client. */
export const whileHandling = async <T>(req: IncomingMessage, handling: Promise<T>): Promise<T> => {
  const notes = requestNotes(req);
  notes.isHandling = true;
  try {
    return await handling;
  } finally {
    notes.isHandling = false;
    if (notes.isGone) freeRequest(notes);
  }
};

/** Creates an {@link Admission}. Each kind of caller has places that no other can use. */
export const createAdmission = (): Admission => {
  const requests = createShares<Kind>(RESERVED, COMMON);
  const streams = createShares<Kind>(RESERVED_STREAMS, COMMON_STREAMS);
  const bodyBytes = createShares<Kind>(RESERVED_BYTES, COMMON_BYTES);

  const takePlace = (shares: typeof requests, kind: Kind, places?: number): (() => void) => {
    const leave = shares.take(kind, places);
    if (leave) return leave;
    throw new AppError(
      'too_many_connections',
      'dot-mi is handling too many requests like this. Try again in a moment.',
      { retryAfterSeconds: 1 },
    );
  };

  /** Remembers how a request leaves. Nothing calls that twice. */
  const noteLeave = (req: IncomingMessage, leave: () => void) => {
    const notes = requestNotes(req);
    notes.leave = () => {
      notes.leave = undefined;
      leave();
    };
  };

  return {
    admit(req, caller, access) {
      // SECURITY: a page asks these routes before it has a token. So can anyone, who must not use the page's places.
      const isBeforeSignIn = access === 'open' && caller.kind === 'anyone';
      noteLeave(req, takePlace(requests, isBeforeSignIn ? 'visitor' : kindOf(req, caller)));
    },
    admitPage: (req) => noteLeave(req, takePlace(requests, 'visitor')),
    admitBody(req, caller, limitBytes) {
      const isChunked = req.headers['transfer-encoding'] !== undefined;
      const bytes = isChunked ? limitBytes : Number(req.headers['content-length'] ?? 0);
      if (bytes > SMALL_BODY_BYTES)
        requestNotes(req).freeBody = takePlace(bodyBytes, kindOf(req, caller), bytes);
    },
    admitStream(req, caller) {
      const kind = kindOf(req, caller);
      const leaveStreams = streams.take(kind);
      if (!leaveStreams)
        throw new AppError(
          'too_many_streams',
          'Too many event streams are already open. Close one, or poll the routes instead.',
          { retryAfterSeconds: 5 },
        );
      try {
        const leave = takePlace(requests, kind);
        noteLeave(req, () => {
          leaveStreams();
          leave();
        });
      } catch (error) {
        leaveStreams();
        throw error;
      }
    },
  };
};
