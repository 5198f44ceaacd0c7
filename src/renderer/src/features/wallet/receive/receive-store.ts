import { createStore } from 'zustand/vanilla';
import { readDetails } from '../../../../../shared/api/errors.ts';
import { bareToken } from '../../../../../shared/bare-token.ts';
import type { ApiError } from '../../../api/client.ts';
import { isOutcomeUnknown } from '../../../api/outcome-unknown.ts';
import { type TextStorage, tabStorage } from '../../../browser-storage.ts';
import { randomKey } from '../../../random-key.ts';

/** Why a token was not received: an error code of the API and its message. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What was credited. A pending operation doesn't report its fee when it ends. */
export interface Credit {
  readonly amount: number | undefined;
  readonly fee: number | undefined;
  /** Test money: the sats aren't real. */
  readonly simulated?: boolean | undefined;
  /** When an earlier request received it, whose answer was lost. */
  readonly receivedAt?: string | undefined;
}

/** The earlier receive of a token that was entered again. */
export interface OwnReceive {
  readonly operationId: string;
  /** Undefined while that receive is pending. */
  readonly receivedAt: string | undefined;
  /** In sat. */
  readonly receivedAmount?: number | undefined;
}

/** The result of the last receive, until another token is typed. */
export type Outcome =
  | ({ readonly kind: 'received' } & Credit)
  | ({ readonly kind: 'refused'; readonly token: string; readonly own?: OwnReceive | undefined } & Failure);

/** A receive whose outcome is unknown: the mint may have redeemed the token. The wallet keeps checking. */
export interface PendingReceive {
  readonly token: string;
  readonly operationId: string;
  /** Null while it is pending. */
  readonly end: Outcome | null;
}

/** The text in the token field, and the results of the receives. */
export interface ReceiveState {
  readonly text: string;
  readonly sending: boolean;
  readonly outcome: Outcome | null;
  readonly pendingReceives: readonly PendingReceive[];
}

/** A receive to send to the API. A retry with the same key gets the same answer. */
export interface ReceiveRequest {
  readonly token: string;
  readonly key: string;
}

const ownReceiveOf = ({ code, details }: Pick<ApiError, 'code' | 'details'>): OwnReceive | undefined => {
  if (code !== 'token_spent' && code !== 'token_in_progress') return undefined;
  const { operationId, receivedAt, receivedAmount } = readDetails(code, details) ?? {};
  return operationId === undefined ? undefined : { operationId, receivedAt, receivedAmount };
};

/** The state of receiving. It outlives its view but not the page: tokens stay in memory only. */
export interface ReceiveStore {
  readonly get: () => ReceiveState;
  readonly subscribe: (listener: () => void) => () => void;
  /** Ignored while a token is being sent. `token-queue.ts` keeps tokens that arrive meanwhile. */
  readonly type: (text: string) => void;
  /** Starts receiving the typed token. Null if there is none, or if it is already being received. */
  readonly begin: () => ReceiveRequest | null;
  readonly received: (token: string, credit: Credit) => void;
  readonly refused: (token: string, error: Pick<ApiError, 'code' | 'message' | 'status' | 'details'>) => void;
  /** Records how a pending operation ended. */
  readonly ended: (operationId: string, result: Credit | Failure) => void;
}

const isOpen = ({ end }: PendingReceive): boolean => end === null;

/** Whether this page or the wallet is already receiving this token. */
export const isPendingToken = ({ sending, pendingReceives }: ReceiveState, token: string): boolean =>
  sending || pendingReceives.some((item) => item.token === token && isOpen(item));

const PENDING_KEY = 'dot-mi.followed-receives';

/** The pending operations of an earlier page of this tab. SECURITY: stores only ids, as a token is money. */
const readPendingReceives = (storage: TextStorage | undefined): PendingReceive[] =>
  (storage?.getItem(PENDING_KEY) ?? '')
    .split(' ')
    .filter(Boolean)
    .map((operationId) => ({ token: '', operationId, end: null }));

/** Creates a store. `newKey` returns an Idempotency-Key. Pending receives survive a reload in `storage`. */
export const createReceiveStore = (newKey: () => string, storage?: TextStorage): ReceiveStore => {
  const { getState, setState, subscribe } = createStore<ReceiveState>(() => ({
    text: '',
    sending: false,
    outcome: null,
    pendingReceives: readPendingReceives(storage),
  }));
  const keyOf = new Map<string, string>();
  const change = (next: Partial<ReceiveState>): void => {
    if (next.pendingReceives) {
      const open = next.pendingReceives.filter(isOpen).map(({ operationId }) => operationId);
      if (open.length > 0) storage?.setItem(PENDING_KEY, open.join(' '));
      else storage?.removeItem(PENDING_KEY);
    }
    setState(next);
  };
  const textWithout = (token: string): string =>
    bareToken(getState().text) === token ? '' : getState().text;

  return {
    get: getState,
    subscribe,
    type: (text) => {
      if (getState().sending) return;
      const token = bareToken(text);
      const { outcome, pendingReceives } = getState();
      const isNews = token !== '' && token !== bareToken(getState().text);
      const keepsOutcome = outcome?.kind === 'refused' ? outcome.token === token : !isNews;
      change({
        text,
        outcome: keepsOutcome ? outcome : null,
        pendingReceives: isNews ? pendingReceives.filter(isOpen) : pendingReceives,
      });
    },
    begin: () => {
      const token = bareToken(getState().text);
      if (token === '' || isPendingToken(getState(), token)) return null;
      const key = keyOf.get(token) ?? newKey();
      keyOf.set(token, key);
      const pendingReceives = getState().pendingReceives.filter(isOpen);
      change({ sending: true, outcome: null, pendingReceives });
      return { token, key };
    },
    received: (token, credit) => {
      keyOf.delete(token);
      const outcome: Outcome = { kind: 'received', ...credit };
      change({ sending: false, text: textWithout(token), outcome });
    },
    refused: (token, error) => {
      const { code, message, details } = error;
      if (!isOutcomeUnknown(error)) keyOf.delete(token);
      const pending = code === 'redemption_pending' ? readDetails(code, details) : undefined;
      if (pending) {
        const pendingReceives = [
          ...getState().pendingReceives,
          { token, operationId: pending.operationId, end: null },
        ];
        change({ sending: false, pendingReceives });
      } else {
        const own = ownReceiveOf(error);
        change({ sending: false, outcome: { kind: 'refused', token, code, message, own } });
      }
    },
    ended: (operationId, result) => {
      const index = getState().pendingReceives.findIndex((item) => item.operationId === operationId);
      const item = getState().pendingReceives[index];
      if (!item || item.end) return;
      keyOf.delete(item.token);
      const end: Outcome =
        'code' in result
          ? { kind: 'refused', token: item.token, ...result }
          : { kind: 'received', ...result };
      change({
        pendingReceives: getState().pendingReceives.with(index, { ...item, end }),
        text: end.kind === 'received' ? textWithout(item.token) : getState().text,
      });
    },
  };
};

/** The page's only receive store. */
export const receiveStore: ReceiveStore = createReceiveStore(randomKey, tabStorage);
