import { z } from 'zod';
import type { SessionStore } from '../../session-store.ts';

/** What is to be sent. The same key with the same content is one send, however often it is asked for. */
export interface SendIntent {
  readonly amount: number;
  readonly memo: string;
  readonly key: string;
}

const keptSend = z.object({
  amount: z.int().positive(),
  memo: z.string(),
  key: z.string(),
  /** Of a send that is pending; null while nobody knows whether it was made. */
  operationId: z.string().nullable(),
});

/** A send that an earlier page of this tab asked for and whose end it did not see. */
export interface KeptSend {
  readonly intent: SendIntent;
  readonly operationId: string | null;
}

const KEPT_KEY = 'dot-mi.unfinished-send';

/** Reads the unfinished send, if there is one. */
export const readKeptSend = (storage: SessionStore | undefined): KeptSend | null => {
  try {
    const { operationId, ...intent } = keptSend.parse(JSON.parse(storage?.getItem(KEPT_KEY) ?? ''));
    return { intent, operationId };
  } catch {
    return null;
  }
};

/** Keeps a send over a reload of the page; null forgets it. SECURITY: what was asked for only; a token is money. */
export const keepSend = (storage: SessionStore | undefined, kept: KeptSend | null): void => {
  if (kept) storage?.setItem(KEPT_KEY, JSON.stringify({ ...kept.intent, operationId: kept.operationId }));
  else storage?.removeItem(KEPT_KEY);
};
