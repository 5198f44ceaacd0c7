import { createStore } from 'zustand/vanilla';
import { readDetails } from '../../../../../shared/api/errors.ts';
import { bareToken, bareTokens, isTokenText } from '../../../../../shared/bare-token.ts';
import { otherPaymentsIn } from '../../../../../shared/other-payment.ts';
import { type ApiError, isOutcomeUnknown } from '../../../api/client.ts';
import { createUnsaved, type Unsaved, unsaved } from '../../../drafts/unsaved.ts';
import { randomKey } from '../../../random-key.ts';

/** Why a token wasn't received: an API error code and its message. */
export interface ReceiveFailure {
  readonly code: string;
  readonly message: string;
}

/** The credited sats. A pending operation doesn't report its fee when it ends. */
interface Credit {
  readonly amount: number | undefined;
  readonly fee: number | undefined;
  /** True for test money: the sats aren't real. */
  readonly simulated?: boolean | undefined;
  /** When the token was received, if an earlier request received it but its response was lost. */
  readonly receivedAt?: string | undefined;
  readonly agent?: string | undefined;
}

/** The agent that the next tokens are for, and their label. Either is empty if it isn't set. */
interface Attribution {
  readonly agent: string;
  readonly label: string;
}

/** The earlier receive of a token that was entered again. */
export interface OwnReceive {
  readonly operationId: string;
  /** Undefined while that receive is pending. */
  readonly receivedAt: string | undefined;
  /** In sats. */
  readonly receivedAmount?: number | undefined;
}

/** The result of the last receive, until another token is typed. */
export type Outcome =
  | ({ readonly kind: 'received' } & Credit)
  | ({ readonly kind: 'refused'; readonly own?: OwnReceive | undefined } & Pick<PendingReceive, 'token'> &
      ReceiveFailure);

/** A receive whose outcome is unknown: the mint may have redeemed the token. The wallet keeps checking. */
export interface PendingReceive {
  /** Null after a page reload. */
  readonly token: string | null;
  readonly operationId: string;
  /** Null while it's pending. */
  readonly end: Outcome | null;
}

/** The result of one of several tokens that were received together. */
export interface BatchResult {
  readonly token: string;
  /** Null if it's still pending. */
  readonly outcome: Outcome | null;
}

/** The text in the token field, and the results of the receives. */
export interface ReceiveState {
  readonly text: string;
  readonly attribution: Attribution;
  readonly sending: boolean;
  readonly outcome: Outcome | null;
  readonly pendingReceives: readonly PendingReceive[];
  /** The results of several tokens, until other text is typed. */
  readonly results: readonly BatchResult[];
  /** Tokens in the field that the wallet is known to have received. */
  readonly ownTokens: readonly string[];
}

/** A receive to send to the API. A retry with the same Idempotency-Key gets the same response. */
export interface ReceiveRequest {
  readonly token: string;
  readonly key: string;
  readonly agent?: string | undefined;
  readonly label?: string | undefined;
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
  /** Ignored during a receive request. `token-queue.ts` stores tokens that arrive in the meantime. */
  readonly type: (text: string) => void;
  /** Changes the agent or label of the next tokens. Ignored during a receive request. */
  readonly attribute: (change: Partial<Attribution>) => void;
  /** Starts receiving the typed token. Null if there is none, or if it's already being received. */
  readonly begin: () => ReceiveRequest | null;
  /** Starts receiving the first of several typed tokens. Null if nothing is left to receive. */
  readonly beginAll: () => ReceiveRequest | null;
  /** Returns the next of several typed tokens, once the previous one has its result. Null after the last. */
  readonly next: () => ReceiveRequest | null;
  /** Records that the wallet already received a typed token. */
  readonly owns: (token: string) => void;
  readonly received: (token: string, credit: Credit) => void;
  readonly refused: (token: string, error: Pick<ApiError, 'code' | 'message' | 'status' | 'details'>) => void;
  /** Records how a pending operation ended. */
  readonly ended: (operationId: string, result: Credit | ReceiveFailure) => void;
}

const isOpen = ({ end }: PendingReceive): boolean => end === null;

/** Returns whether this page or the wallet is already receiving this token. */
export const isPendingToken = ({ sending, pendingReceives }: ReceiveState, token: string): boolean =>
  sending || pendingReceives.some((item) => item.token === token && isOpen(item));

/** SECURITY: only the ids of pending operations are stored, because a token is money. */
const PENDING_KEY = 'wallet/receives';

const NO_ATTRIBUTION: Attribution = { agent: '', label: '' };

/** Creates a store. `newKey` returns an Idempotency-Key. Pending receives survive a reload in `registry`. */
export const createReceiveStore = (
  newKey: () => string,
  registry: Pick<Unsaved, 'get' | 'put' | 'drop'> = createUnsaved(),
): ReceiveStore => {
  const pending = (registry.get(PENDING_KEY) ?? []) as readonly string[];
  const { getState, setState, subscribe } = createStore<ReceiveState>(() => ({
    text: '',
    attribution: NO_ATTRIBUTION,
    sending: false,
    outcome: null,
    pendingReceives: pending.map((operationId) => ({ token: null, operationId, end: null })),
    results: [],
    ownTokens: [],
  }));
  /** The remaining tokens while several are being received. Null otherwise. */
  let batch: string[] | null = null;
  /** The requests whose outcome is unknown, by token. */
  const requests = new Map<string, ReceiveRequest>();
  const change = (next: Partial<ReceiveState>): void => {
    if (next.pendingReceives) {
      const open = next.pendingReceives.filter(isOpen).map(({ operationId }) => operationId);
      if (open.length > 0) registry.put(PENDING_KEY, open);
      else registry.drop(PENDING_KEY);
    }
    setState(next);
  };
  const textWithout = (token: string): string => {
    const { text } = getState();
    const tokens = bareTokens(text);
    if (!tokens.includes(token)) return text;
    // Text around a token is removed with it, but an invoice stays, so that nothing of value is lost.
    const others = otherPaymentsIn(text).map((other) => other.text);
    return [...tokens.filter((it) => it !== token), ...others].join('\n');
  };
  const requestFor = (token: string): ReceiveRequest => {
    const { attribution } = getState();
    const [agent, label] = [attribution.agent || undefined, attribution.label.trim() || undefined];
    const before = requests.get(token);
    // An Idempotency-Key belongs to one request, and a different agent makes it a different request.
    const isRetry = before?.agent === agent && before?.label === label;
    const request = { token, key: (isRetry && before?.key) || newKey(), agent, label };
    requests.set(token, request);
    return request;
  };
  /** The next payments may be for the same agent, but a label belongs to one payment. */
  const withoutLabel = (): Attribution => ({ ...getState().attribution, label: '' });
  /** Returns the state changes for a finished receive. */
  const settle = (token: string, outcome: Outcome | null, next: Partial<ReceiveState>): void => {
    if (batch === null) change({ sending: false, ...(outcome ? { outcome } : {}), ...next });
    else change({ ...next, results: [...getState().results, { token, outcome }] });
  };
  const next = (): ReceiveRequest | null => {
    const token = batch?.shift();
    if (token !== undefined) return requestFor(token);
    if (batch !== null) {
      const isAnyReceived = getState().results.some(({ outcome }) => outcome?.kind === 'received');
      change({ sending: false, ...(isAnyReceived ? { attribution: withoutLabel() } : {}) });
    }
    batch = null;
    return null;
  };

  return {
    get: getState,
    subscribe,
    type: (text) => {
      if (getState().sending) return;
      const token = bareToken(text);
      const { outcome, pendingReceives } = getState();
      const isNews = token !== '' && token !== bareToken(getState().text);
      const keepsOutcome = outcome?.kind === 'refused' ? outcome.token === token : !isNews;
      const tokens = bareTokens(text);
      // A token that stays in the field, such as a refused one, keeps its result.
      const isOther = token !== '' && tokens.some((it) => !bareTokens(getState().text).includes(it));
      change({
        text,
        results: isOther ? [] : getState().results,
        ownTokens: getState().ownTokens.filter((it) => tokens.includes(it)),
        outcome: keepsOutcome ? outcome : null,
        pendingReceives: isNews ? pendingReceives.filter(isOpen) : pendingReceives,
      });
    },
    attribute: (attribution) => {
      if (!getState().sending) change({ attribution: { ...getState().attribution, ...attribution } });
    },
    begin: () => {
      const token = bareToken(getState().text);
      if (token === '' || isPendingToken(getState(), token)) return null;
      const pendingReceives = getState().pendingReceives.filter(isOpen);
      change({ sending: true, outcome: null, results: [], pendingReceives });
      return requestFor(token);
    },
    beginAll: () => {
      const tokens = bareTokens(getState().text).filter(
        (token) => isTokenText(token) && !isPendingToken(getState(), token),
      );
      if (tokens.length === 0 || getState().sending) return null;
      batch = [...tokens];
      const pendingReceives = getState().pendingReceives.filter(isOpen);
      change({ sending: true, outcome: null, results: [], pendingReceives });
      return next();
    },
    next,
    owns: (token) => {
      const { text, ownTokens } = getState();
      if (bareTokens(text).includes(token) && !ownTokens.includes(token))
        change({ ownTokens: [...ownTokens, token] });
    },
    received: (token, credit) => {
      requests.delete(token);
      const outcome: Outcome = { kind: 'received', ...credit };
      const done = batch === null ? { attribution: withoutLabel() } : {};
      settle(token, outcome, { ...done, text: textWithout(token) });
    },
    refused: (token, error) => {
      const { code, message, details } = error;
      if (!isOutcomeUnknown(error)) requests.delete(token);
      const pending = code === 'redemption_pending' ? readDetails(code, details) : undefined;
      if (pending) {
        const pendingReceives = [
          ...getState().pendingReceives,
          { token, operationId: pending.operationId, end: null },
        ];
        settle(token, null, { pendingReceives });
      } else {
        const own = ownReceiveOf(error);
        const { ownTokens } = getState();
        const known = own?.receivedAt === undefined ? {} : { ownTokens: [...ownTokens, token] };
        settle(token, { kind: 'refused', token, code, message, own }, known);
      }
    },
    ended: (operationId, result) => {
      const index = getState().pendingReceives.findIndex((item) => item.operationId === operationId);
      const item = getState().pendingReceives[index];
      if (!item || item.end) return;
      if (item.token !== null) requests.delete(item.token);
      const end: Outcome =
        'code' in result
          ? { kind: 'refused', token: item.token, ...result }
          : { kind: 'received', ...result };
      change({
        pendingReceives: getState().pendingReceives.with(index, { ...item, end }),
        text: end.kind === 'received' && item.token !== null ? textWithout(item.token) : getState().text,
      });
    },
  };
};

/** The page's only receive store. */
export const receiveStore: ReceiveStore = createReceiveStore(randomKey, unsaved);
