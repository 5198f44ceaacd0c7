import { z } from 'zod';
import type { TextStorage } from '../../../browser-storage.ts';

/** The content of a send, and the Idempotency-Key of its only request. */
export interface SendIntent {
  readonly amount: number;
  readonly memo: string;
  readonly key: string;
  /** The fee that the person accepted, in sat, if the usual limit refused it. */
  readonly maxFee?: number | undefined;
}

const persistedSend = z.object({
  amount: z.int().positive(),
  memo: z.string(),
  key: z.string(),
  maxFee: z.int().nonnegative().optional(),
  /** The id of a pending send. Null while it is unknown whether there is one. */
  operationId: z.string().nullable(),
});

/** A send that an earlier page of this tab requested without seeing its end. */
export interface PersistedSend {
  readonly intent: SendIntent;
  readonly operationId: string | null;
}

const STORAGE_KEY = 'dot-mi.unfinished-send';

/** Reads the unfinished send, if there is one. */
export const readPersistedSend = (storage: TextStorage | undefined): PersistedSend | null => {
  try {
    const { operationId, ...intent } = persistedSend.parse(JSON.parse(storage?.getItem(STORAGE_KEY) ?? ''));
    return { intent, operationId };
  } catch {
    return null;
  }
};

/** Keeps a send across a reload. Null forgets it. SECURITY: stores only the request, as a token is money. */
export const persistSend = (storage: TextStorage | undefined, persisted: PersistedSend | null): void => {
  if (persisted)
    storage?.setItem(
      STORAGE_KEY,
      JSON.stringify({ ...persisted.intent, operationId: persisted.operationId }),
    );
  else storage?.removeItem(STORAGE_KEY);
};
