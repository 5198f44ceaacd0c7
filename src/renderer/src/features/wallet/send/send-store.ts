import { createStore } from 'zustand/vanilla';
import { readDetails } from '../../../../../shared/api/errors.ts';
import type { HistoryEntry, SentToken } from '../../../../../shared/api/wallet.ts';
import { type ApiError, isOutcomeUnknown } from '../../../api/client.ts';
import { createUnsaved, type Unsaved, unsaved } from '../../../drafts/unsaved.ts';
import { randomKey } from '../../../random-key.ts';
import { wallet as words } from '../../../strings/wallet.ts';

/** A send's content, and the Idempotency-Key of its only request. */
export interface SendIntent {
  readonly amount: number;
  readonly memo: string;
  readonly key: string;
  /** The fee that the person accepted, in sats, if the usual limit refused it. */
  readonly maxFee?: number | undefined;
}

/** A send that an earlier page in this tab requested without learning its outcome. */
interface UnfinishedSend {
  readonly intent: SendIntent;
  /** A pending send's id. Null while it's unknown whether there is one. */
  readonly operationId: string | null;
}

/** Why there is no token: an API error code and its message. */
export interface SendRefusal {
  readonly code: string;
  readonly message: string;
  /** The fee that the person can accept, if the send was refused because of it. */
  readonly fee?: { readonly intent: SendIntent; readonly sats: number } | undefined;
}

/**
 * The state of the last send.
 *
 * - `unsure`: its response was lost. No other send can start until the history shows its outcome.
 * - `pending`: its outcome is unknown, and the wallet keeps checking.
 */
export type SendStage =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'unsure'; readonly intent: SendIntent; readonly refusal: SendRefusal | null }
  | { readonly kind: 'pending'; readonly operationId: string; readonly intent: SendIntent }
  | ({ readonly kind: 'refused' } & SendRefusal)
  | { readonly kind: 'sent'; readonly sent: SentToken };

/** The typed amount and memo, and the state of the last send. */
export interface SendState {
  readonly amount: string;
  readonly memo: string;
  readonly stage: SendStage;
}

/** The state of sending, which outlives its view. Only an unfinished send outlives the page. */
interface SendStore {
  readonly get: () => SendState;
  readonly subscribe: (listener: () => void) => () => void;
  readonly type: (typed: Partial<Pick<SendState, 'amount' | 'memo'>>) => void;
  /** Starts a send. Null if another one is in progress or unsure. */
  readonly begin: (amount: number, memo: string, maxFee?: number) => SendIntent | null;
  readonly sent: (intent: SendIntent, sent: SentToken) => void;
  readonly refused: (
    intent: SendIntent,
    error: Pick<ApiError, 'code' | 'message' | 'status' | 'details'>,
  ) => void;
  /** Settles an unsure send by its entry in the history. Undefined if it has none. */
  readonly settled: (intent: SendIntent, entry: HistoryEntry | undefined) => void;
  /** Records that a pending send failed. */
  readonly failed: (intent: SendIntent, failure: SendRefusal) => void;
  /** Hides the token. It stays in the history. */
  readonly clear: () => void;
}

/** Returns whether no other send can start. */
export const isBusy = ({ kind }: SendStage): boolean =>
  kind === 'sending' || kind === 'unsure' || kind === 'pending';

/** The code for a send that never reached the wallet. Only the page uses it. */
const NOT_MADE = 'not_made';

const TYPED_KEY = 'wallet/send';
/** SECURITY: only the request is stored, because a token is money. */
const UNFINISHED_KEY = 'wallet/unfinished-send';

/** Error codes that leave the send's outcome unknown, because the response is missing or isn't the wallet's. */
const NOT_FROM_WALLET: ReadonlySet<string> = new Set([
  'offline',
  'unexpected_answer',
  'idempotency_key_in_use',
]);

const stageOf = (unfinished: UnfinishedSend | undefined): SendStage => {
  if (!unfinished) return { kind: 'idle' };
  const { intent, operationId } = unfinished;
  return operationId === null
    ? { kind: 'unsure', intent, refusal: null }
    : { kind: 'pending', operationId, intent };
};

/**
 * Creates a store. `newKey` returns an Idempotency-Key. Each send has its own, so no send ever gets another send's
 * token. A send without a response survives a page reload in `registry`.
 */
export const createSendStore = (
  newKey: () => string,
  registry: Pick<Unsaved, 'get' | 'put' | 'drop'> = createUnsaved(),
): SendStore => {
  const unfinished = registry.get(UNFINISHED_KEY) as UnfinishedSend | undefined;
  const typed = registry.get(TYPED_KEY) as Pick<SendState, 'amount' | 'memo'> | undefined;
  const { getState, setState, subscribe } = createStore<SendState>(() => ({
    amount: unfinished ? String(unfinished.intent.amount) : (typed?.amount ?? ''),
    memo: unfinished?.intent.memo ?? typed?.memo ?? '',
    stage: stageOf(unfinished),
  }));
  subscribe(({ amount, memo }) => {
    if (amount === '' && memo === '') registry.drop(TYPED_KEY);
    else registry.put(TYPED_KEY, { amount, memo });
  });
  const end = (stage: SendStage, typed: Partial<SendState> = {}): void => {
    registry.drop(UNFINISHED_KEY);
    setState({ ...typed, stage });
  };
  const wait = (intent: SendIntent, operationId: string): void => {
    registry.put(UNFINISHED_KEY, { intent, operationId });
    setState({ stage: { kind: 'pending', operationId, intent } });
  };
  const show = (sent: SentToken): void => end({ kind: 'sent', sent }, { amount: '', memo: '' });
  const refuse = ({ code, message, fee }: SendRefusal): void =>
    end({ kind: 'refused', code, message, ...(fee ? { fee } : {}) });
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
    begin: (amount, memo, maxFee) => {
      if (isBusy(getState().stage)) return null;
      const intent = { amount, memo, key: newKey(), ...(maxFee === undefined ? {} : { maxFee }) };
      registry.put(UNFINISHED_KEY, { intent, operationId: null });
      setState({ stage: { kind: 'sending' } });
      return intent;
    },
    sent: (_, sent) => show(sent),
    refused: (intent, error) => {
      const { code, message, details } = error;
      const { operationId } = (code === 'send_pending' && readDetails(code, details)) || {};
      if (operationId !== undefined) wait(intent, operationId);
      else if (isOutcomeUnknown(error))
        setState({ stage: { kind: 'unsure', intent, refusal: { code, message } } });
      else {
        const { fee } = (code === 'fee_too_high' && readDetails(code, details)) || {};
        refuse({ code, message, fee: fee === undefined ? undefined : { intent, sats: fee } });
      }
    },
    settled: ({ key }, entry) => {
      const { stage } = getState();
      if (stage.kind !== 'unsure' || stage.intent.key !== key) return;
      const { intent, refusal } = stage;
      if (!entry) {
        const isKnown = refusal && !NOT_FROM_WALLET.has(refusal.code);
        refuse(isKnown ? refusal : { code: NOT_MADE, message: words.send.notMade });
      } else if (entry.state === 'pending') wait(intent, entry.id);
      else if (entry.state === 'completed' && entry.token !== undefined) {
        const { token, amount, fee, id: operationId, createdAt } = entry;
        show({ token, amount, fee, operationId, replayed: true, createdAt });
      } else {
        const { code = 'internal', error: message = words.send.failedUnknown } = entry.error ?? {};
        refuse({ code, message });
      }
    },
    failed: (_, failure) => refuse(failure),
    clear: () => setState({ stage: { kind: 'idle' } }),
  };
};

/** The page's only send store. */
export const sendStore: SendStore = createSendStore(randomKey, unsaved);
