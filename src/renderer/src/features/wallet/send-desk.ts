import type { SentToken } from '../../../../shared/api/wallet.ts';
import type { ApiError } from '../../api/client.ts';
import { randomKey } from './random-key.ts';
import { isUnsure } from './unsure.ts';

/** What is to be sent. The same key with the same content is one send, however often it is asked for. */
export interface SendIntent {
  readonly amount: number;
  readonly memo: string;
  readonly key: string;
}

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

/** Where tokens are made. It outlives the view that shows it, not the page: a token is kept in memory only. */
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

/** Makes an empty desk. `newKey` makes an Idempotency-Key. */
export const createSendDesk = (newKey: () => string): SendDesk => {
  let desk: SendDeskState = { amount: '', memo: '', stage: { kind: 'idle' } };
  const listeners = new Set<() => void>();
  /** Keys of sends that may have been made, by what was asked for. */
  const keyOf = new Map<string, string>();
  const contentOf = (amount: number, memo: string): string => JSON.stringify([amount, memo]);
  const change = (next: Partial<SendDeskState>): void => {
    desk = { ...desk, ...next };
    for (const listener of listeners) listener();
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
      const content = contentOf(amount, memo);
      const key = keyOf.get(content) ?? newKey();
      keyOf.set(content, key);
      change({ stage: { kind: 'sending' } });
      return { amount, memo, key };
    },
    sent: ({ amount, memo }, sent) => {
      keyOf.delete(contentOf(amount, memo));
      change({ amount: '', memo: '', stage: { kind: 'sent', sent } });
    },
    refused: (intent, error) => {
      const { code, message, details } = error;
      const content = contentOf(intent.amount, intent.memo);
      if (code === 'send_pending' && typeof details?.operationId === 'string') {
        change({ stage: { kind: 'pending', operationId: details.operationId, intent } });
        return;
      }
      if (!isUnsure(error)) keyOf.delete(content);
      change({ stage: { kind: 'refused', code, message } });
    },
    failed: ({ amount, memo }, { code, message }) => {
      keyOf.delete(contentOf(amount, memo));
      change({ stage: { kind: 'refused', code, message } });
    },
    clear: () => change({ stage: { kind: 'idle' } }),
  };
};

/** The one desk of the page. */
export const sendDesk: SendDesk = createSendDesk(randomKey);
