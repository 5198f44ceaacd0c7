import { readDetails } from '../../../../shared/api/errors.ts';
import type { ApiError } from '../../api/client.ts';
import { randomKey } from '../../random-key.ts';
import type { SessionStore } from '../../session-store.ts';
import { isUnsure } from './unsure.ts';

/** Why a token was not received: a code of the API, and the sentence that came with it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What was credited. An operation that was followed to its end doesn't report the fee. */
export interface Credit {
  readonly amount: number | undefined;
  readonly fee: number | undefined;
  /** In DEV_MODE: the sats aren't real. */
  readonly simulated?: boolean | undefined;
}

/** This wallet's own receive of a token that it was given again. */
export interface OwnReceive {
  readonly operationId: string;
  /** Undefined while that receive isn't over. */
  readonly receivedAt: string | undefined;
}

/** How the last receive went, as long as nothing else is typed. */
export type Outcome =
  | ({ readonly kind: 'received' } & Credit)
  | ({ readonly kind: 'refused'; readonly token: string; readonly own?: OwnReceive | undefined } & Failure);

/** A receive whose end nobody knows yet: the mint may have taken the token, and the wallet finds out by itself. */
export interface Followed {
  readonly token: string;
  readonly operationId: string;
  /** Null until it ended. */
  readonly end: Outcome | null;
}

/** The token that is typed, and what became of those that were sent. */
export interface Desk {
  readonly text: string;
  readonly sending: boolean;
  readonly outcome: Outcome | null;
  readonly followed: readonly Followed[];
}

/** A token on its way to the wallet. The same key with the same token gets the same answer, so a retry can do no harm. */
export interface Redemption {
  readonly token: string;
  readonly key: string;
}

const ownReceiveOf = ({ code, details }: Pick<ApiError, 'code' | 'details'>): OwnReceive | undefined => {
  if (code !== 'token_spent' && code !== 'token_in_progress') return undefined;
  const { operationId, receivedAt } = readDetails(code, details) ?? {};
  return operationId === undefined ? undefined : { operationId, receivedAt };
};

/** Where tokens are typed and received. It outlives the view that shows it, not the page: a token is kept in memory only. */
export interface TokenDesk {
  readonly get: () => Desk;
  readonly subscribe: (listener: () => void) => () => void;
  /** While a token is on its way the field takes nothing; `token-queue.ts` keeps what comes then. */
  readonly type: (text: string) => void;
  /** Takes up what is typed; null when there is nothing to receive, or it is under way. */
  readonly begin: () => Redemption | null;
  readonly received: (token: string, credit: Credit) => void;
  readonly refused: (token: string, error: Pick<ApiError, 'code' | 'message' | 'status' | 'details'>) => void;
  /** A followed operation ended. */
  readonly ended: (operationId: string, result: Credit | Failure) => void;
}

// As the server reads it.
const SCHEME = /^(?:web\+)?cashu:(?:\/\/)?(?=cashu)/i;

/** The token in a text as it was pasted: mail and terminals break lines in the middle, links have `cashu:` before it. */
export const tokenIn = (text: string): string => text.replaceAll(/\s+/g, '').replace(SCHEME, '');

/** Whether a receive of this token is under way, here or in the wallet. */
export const isUnderWay = ({ sending, followed }: Desk, token: string): boolean =>
  sending || followed.some((item) => item.token === token && item.end === null);

const FOLLOWED_KEY = 'dot-mi.followed-receives';

/** The operations that an earlier page of this tab followed. SECURITY: their ids only; a token is money. */
const remembered = (storage: SessionStore | undefined): Followed[] =>
  (storage?.getItem(FOLLOWED_KEY) ?? '')
    .split(' ')
    .filter(Boolean)
    .map((operationId) => ({ token: '', operationId, end: null }));

/** Makes an empty desk. `newKey` makes an Idempotency-Key; what is followed survives a reload of the page in `storage`. */
export const createTokenDesk = (newKey: () => string, storage?: SessionStore): TokenDesk => {
  let desk: Desk = { text: '', sending: false, outcome: null, followed: remembered(storage) };
  const listeners = new Set<() => void>();
  const keyOf = new Map<string, string>();
  const change = (next: Partial<Desk>): void => {
    desk = { ...desk, ...next };
    if (next.followed) {
      const open = next.followed.filter(({ end }) => end === null).map(({ operationId }) => operationId);
      if (open.length > 0) storage?.setItem(FOLLOWED_KEY, open.join(' '));
      else storage?.removeItem(FOLLOWED_KEY);
    }
    for (const listener of listeners) listener();
  };
  const textWithout = (token: string): string => (tokenIn(desk.text) === token ? '' : desk.text);

  return {
    get: () => desk,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    type: (text) => {
      if (desk.sending) return;
      const token = tokenIn(text);
      const { outcome, followed } = desk;
      const isNews = token !== '' && token !== tokenIn(desk.text);
      const keepsOutcome = outcome?.kind === 'refused' ? outcome.token === token : !isNews;
      change({
        text,
        outcome: keepsOutcome ? outcome : null,
        followed: isNews ? followed.filter(({ end }) => end === null) : followed,
      });
    },
    begin: () => {
      const token = tokenIn(desk.text);
      if (token === '' || isUnderWay(desk, token)) return null;
      const key = keyOf.get(token) ?? newKey();
      keyOf.set(token, key);
      const followed = desk.followed.filter(({ end }) => end === null);
      change({ sending: true, outcome: null, followed });
      return { token, key };
    },
    received: (token, { amount, fee, simulated }) => {
      keyOf.delete(token);
      const outcome: Outcome = { kind: 'received', amount, fee, simulated };
      change({ sending: false, text: textWithout(token), outcome });
    },
    refused: (token, error) => {
      const { code, message, details } = error;
      if (!isUnsure(error)) keyOf.delete(token);
      const pending = code === 'redemption_pending' ? readDetails(code, details) : undefined;
      if (pending) {
        const followed = [...desk.followed, { token, operationId: pending.operationId, end: null }];
        change({ sending: false, followed });
      } else {
        const own = ownReceiveOf(error);
        change({ sending: false, outcome: { kind: 'refused', token, code, message, own } });
      }
    },
    ended: (operationId, result) => {
      const index = desk.followed.findIndex((item) => item.operationId === operationId);
      const item = desk.followed[index];
      if (!item || item.end) return;
      keyOf.delete(item.token);
      const end: Outcome =
        'code' in result
          ? { kind: 'refused', token: item.token, ...result }
          : { kind: 'received', ...result };
      change({
        followed: desk.followed.with(index, { ...item, end }),
        text: end.kind === 'received' ? textWithout(item.token) : desk.text,
      });
    },
  };
};

/** The one desk of the page. */
export const tokenDesk: TokenDesk = createTokenDesk(randomKey, globalThis.sessionStorage);
