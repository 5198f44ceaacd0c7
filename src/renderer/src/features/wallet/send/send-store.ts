import { createStore } from 'zustand/vanilla';
import { readDetails } from '../../../../../shared/api/errors.ts';
import type { SentToken } from '../../../../../shared/api/wallet.ts';
import type { ApiError } from '../../../api/client.ts';
import { isOutcomeUnknown } from '../../../api/outcome-unknown.ts';
import { randomKey } from '../../../random-key.ts';
import type { SessionStore } from '../../../session-store.ts';
import { persistSend, readPersistedSend, type SendIntent } from './persisted-send.ts';

/** The state of the last send. `pending`: its outcome is unknown, and the wallet keeps checking. */
export type SendStage =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'pending'; readonly operationId: string; readonly intent: SendIntent }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly kind: 'sent'; readonly sent: SentToken };

/** The typed amount and memo, and the state of the last send. */
export interface SendState {
  readonly amount: string;
  readonly memo: string;
  readonly stage: SendStage;
}

/** The state of sending. It outlives its view. Only an unfinished send outlives the page. */
export interface SendStore {
  readonly get: () => SendState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly type: (typed: Partial<Pick<SendState, 'amount' | 'memo'>>) => void;
  /** Starts a send. Null if another is in progress. */
  readonly begin: (amount: number, memo: string) => SendIntent | null;
  readonly sent: (intent: SendIntent, sent: SentToken) => void;
  readonly refused: (
    intent: SendIntent,
    error: Pick<ApiError, 'code' | 'message' | 'status' | 'details'>,
  ) => void;
  /** Records that a pending send failed. */
  readonly failed: (intent: SendIntent, failure: { readonly code: string; readonly message: string }) => void;
  /** Hides the token. It stays in the history. */
  readonly clear: () => void;
}

const isBusy = ({ kind }: SendStage): boolean => kind === 'sending' || kind === 'pending';

const contentOf = ({ amount, memo }: Pick<SendIntent, 'amount' | 'memo'>): string =>
  JSON.stringify([amount, memo]);

/**
 * Creates a store. `newKey` returns an Idempotency-Key. An unfinished send survives a reload of the page in
 * `storage`: a pending one is watched again, and one that may not have arrived can be retried with the same
 * key.
 */
export const createSendStore = (newKey: () => string, storage?: SessionStore): SendStore => {
  const persisted = readPersistedSend(storage);
  const isPending = persisted !== null && persisted.operationId !== null;
  const { getState, setState, subscribe } = createStore<SendState>(() => ({
    amount: persisted ? String(persisted.intent.amount) : '',
    memo: persisted?.intent.memo ?? '',
    stage: isPending
      ? { kind: 'pending', operationId: persisted.operationId, intent: persisted.intent }
      : { kind: 'idle' },
  }));
  /** Keys of sends that may have succeeded, by amount and memo. */
  const keyOf = new Map<string, string>(
    persisted ? [[contentOf(persisted.intent), persisted.intent.key]] : [],
  );
  /** The outcome is known, so the next send with the same content gets a new key. */
  const end = (intent: SendIntent): void => {
    keyOf.delete(contentOf(intent));
    persistSend(storage, null);
  };
  return {
    get: getState,
    subscribe,
    type: (typed) => {
      if (isBusy(getState().stage)) return;
      // Typing clears a refusal. A token stays until the person hides it.
      setState({
        ...typed,
        stage: getState().stage.kind === 'refused' ? { kind: 'idle' } : getState().stage,
      });
    },
    begin: (amount, memo) => {
      if (isBusy(getState().stage)) return null;
      const content = contentOf({ amount, memo });
      const key = keyOf.get(content) ?? newKey();
      keyOf.set(content, key);
      const intent = { amount, memo, key };
      persistSend(storage, { intent, operationId: null });
      setState({ stage: { kind: 'sending' } });
      return intent;
    },
    sent: (intent, sent) => {
      end(intent);
      setState({ amount: '', memo: '', stage: { kind: 'sent', sent } });
    },
    refused: (intent, error) => {
      const { code, message, details } = error;
      const { operationId } = (code === 'send_pending' && readDetails(code, details)) || {};
      if (operationId !== undefined) {
        persistSend(storage, { intent, operationId });
        setState({ stage: { kind: 'pending', operationId, intent } });
        return;
      }
      if (!isOutcomeUnknown(error)) end(intent);
      setState({ stage: { kind: 'refused', code, message } });
    },
    failed: (intent, { code, message }) => {
      end(intent);
      setState({ stage: { kind: 'refused', code, message } });
    },
    clear: () => setState({ stage: { kind: 'idle' } }),
  };
};

/** The page's only send store. */
export const sendStore: SendStore = createSendStore(randomKey, globalThis.sessionStorage);
