import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

/** Answers a request, at once if it can. Throws or rejects with what the error answer is made of. */
export type Responder = (req: IncomingMessage, res: ServerResponse) => Promise<void> | undefined;

/** Remembers how GET requests were routed and parsed, by their whole address. See docs/adr/0050. */
export interface KnownAddresses {
  /** Remembers how to answer the address of a request whose parts were valid. */
  remember(req: IncomingMessage, responder: Responder): void;
  /** How to answer a request, or undefined if it needs the router. */
  find(req: IncomingMessage): Responder | undefined;
}

/** The five files of some 800 agents. */
const MAX_ADDRESSES = 4_096;
/** Longer ones are rare, and would take memory. */
const MAX_LENGTH = 512;

/** Creates a {@link KnownAddresses}. It doesn't know who may call: every responder checks that again. */
export const createKnownAddresses = (): KnownAddresses => {
  const responders = new LRUCache<string, Responder>({ max: MAX_ADDRESSES });
  return {
    remember({ method, url }, responder) {
      if (method === 'GET' && url !== undefined && url.length <= MAX_LENGTH) responders.set(url, responder);
    },
    find: ({ method, url }) => (method === 'GET' && url !== undefined ? responders.get(url) : undefined),
  };
};
