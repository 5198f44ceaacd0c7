import { z } from 'zod';
import type { SessionStore } from '../../../session-store.ts';

/** What is to be sent. The same key with the same content is one send, however often it is asked for. */
export interface SendIntent {
  readonly amount: number;
  readonly memo: string;
  readonly key: string;
}

const persistedSend = z.object({
  amount: z.int().positive(),
  memo: z.string(),
  key: z.string(),
  /** Of a send that is pending; null while nobody knows whether it was made. */
  operationId: z.string().nullable(),
});

/** A send that an earlier page of this tab asked for and whose end it did not see. */
export interface PersistedSend {
  readonly intent: SendIntent;
  readonly operationId: string | null;
}

const STORAGE_KEY = 'dot-mi.unfinished-send';

/** Reads the unfinished send, if there is one. */
export const readPersistedSend = (storage: SessionStore | undefined): PersistedSend | null => {
  try {
    const { operationId, ...intent } = persistedSend.parse(JSON.parse(storage?.getItem(STORAGE_KEY) ?? ''));
    return { intent, operationId };
  } catch {
    return null;
  }
};

/** Keeps a send over a reload of the page; null forgets it. SECURITY: what was asked for only; a token is money. */
export const persistSend = (storage: SessionStore | undefined, persisted: PersistedSend | null): void => {
  if (persisted)
    storage?.setItem(
      STORAGE_KEY,
      JSON.stringify({ ...persisted.intent, operationId: persisted.operationId }),
    );
  else storage?.removeItem(STORAGE_KEY);
};
