import { readDetails } from '../../../../shared/api/errors.ts';
import type { SentToken } from '../../../../shared/api/wallet.ts';
import type { ApiError } from '../../api/client.ts';
import { randomKey } from '../../random-key.ts';
import type { SessionStore } from '../../session-store.ts';
import { keepSend, readKeptSend, type SendIntent } from './kept-send.ts';
import { isUnsure } from './unsure.ts';

/** How the last send went. `pending`: the mint may have made it, and the wallet finds out by itself. */
export type SendStage =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'pending'; readonly operationId: string; readonly intent: SendIntent }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'sent'; readonly sent: SentToken };

/** What is typed, and what became of what was asked for. */
export interface SendDeskState {
  readonly amount: string;
  readonly memo: string;
  readonly stage: SendStage;
}

/** Where tokens are made. It outlives the view that shows it; of what it has, only a send that is not over outlives the page. */
export interface SendDesk {
  readonly get: () => SendDeskState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly type: (typed: Partial<Pick<SendDeskState, 'amount' | 'memo'>>) => void;
  /** Takes up a send; null when one is under way. */
  readonly begin: (amount: number, memo: string) => SendIntent | null;
  readonly sent: (intent: SendIntent, sent: SentToken) => void;
  readonly refused: (
    intent: SendIntent,
    error: Pick<ApiError, 'code' | 'message' | 'status' | 'details'>,
  ) => void;
  /** A pending send ended without a token. */
  readonly failed: (intent: SendIntent, failure: { readonly code: string; readonly message: string }) => void;
  /** Puts the token away; it stays in the history. */
  readonly clear: () => void;
}

const isBusy = ({ kind }: SendStage): boolean => kind === 'sending' || kind === 'pending';

const contentOf = ({ amount, memo }: Pick<SendIntent, 'amount' | 'memo'>): string =>
  JSON.stringify([amount, memo]);

/**
 * Makes a desk. `newKey` makes an Idempotency-Key. A send whose end was not seen survives a reload of the page in
 * `storage`: one that is pending is followed on, one that may never have arrived waits to be asked for again.
 */
export const createSendDesk = (newKey: () => string, storage?: SessionStore): SendDesk => {
  const kept = readKeptSend(storage);
  const isPending = kept !== null && kept.operationId !== null;
  let desk: SendDeskState = {
    amount: kept ? String(kept.intent.amount) : '',
    memo: kept?.intent.memo ?? '',
    stage: isPending
      ? { kind: 'pending', operationId: kept.operationId, intent: kept.intent }
      : { kind: 'idle' },
  };
  const listeners = new Set<() => void>();
  /** Keys of sends that may have been made, by what was asked for. */
  const keyOf = new Map<string, string>(kept ? [[contentOf(kept.intent), kept.intent.key]] : []);
  const change = (next: Partial<SendDeskState>): void => {
    desk = { ...desk, ...next };
    for (const listener of listeners) listener();
  };
  /** Its end is known: the next one with the same content is another. */
  const end = (intent: SendIntent): void => {
    keyOf.delete(contentOf(intent));
    keepSend(storage, null);
  };
  return {
    get: () => desk,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    type: (typed) => {
      if (isBusy(desk.stage)) return;
      // A refusal is of what was typed; a token stays until it is put away.
      change({ ...typed, stage: desk.stage.kind === 'refused' ? { kind: 'idle' } : desk.stage });
    },
    begin: (amount, memo) => {
      if (isBusy(desk.stage)) return null;
      const content = contentOf({ amount, memo });
      const key = keyOf.get(content) ?? newKey();
      keyOf.set(content, key);
      const intent = { amount, memo, key };
      keepSend(storage, { intent, operationId: null });
      change({ stage: { kind: 'sending' } });
      return intent;
    },
    sent: (intent, sent) => {
      end(intent);
      change({ amount: '', memo: '', stage: { kind: 'sent', sent } });
    },
    refused: (intent, error) => {
      const { code, message, details } = error;
      const { operationId } = (code === 'send_pending' && readDetails(code, details)) || {};
      if (operationId !== undefined) {
        keepSend(storage, { intent, operationId });
        change({ stage: { kind: 'pending', operationId, intent } });
        return;
      }
      if (!isUnsure(error)) end(intent);
      change({ stage: { kind: 'refused', code, message } });
    },
    failed: (intent, { code, message }) => {
      end(intent);
      change({ stage: { kind: 'refused', code, message } });
    },
    clear: () => change({ stage: { kind: 'idle' } }),
  };
};

/** The one desk of the page. */
export const sendDesk: SendDesk = createSendDesk(randomKey, globalThis.sessionStorage);
