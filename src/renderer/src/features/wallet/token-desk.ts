import type { ApiError } from '../../api/client.ts';

/** Why a token was not received: a code of the API, and the sentence that came with it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** What was credited. An operation that was followed to its end does not tell the fee. */
export interface Credit {
  readonly amount: number | undefined;
  readonly fee: number | undefined;
}

/** How the last receive went, as long as nothing else is typed. */
export type Outcome =
  | ({ readonly kind: 'received' } & Credit)
  | ({ readonly kind: 'refused'; readonly token: string } & Failure);

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

/** Where tokens are typed and received. It outlives the view that shows it, not the page: a token is kept in memory only. */
export interface TokenDesk {
  readonly get: () => Desk;
  readonly subscribe: (listener: () => void) => () => void;
  readonly type: (text: string) => void;
  /** Takes up what is typed; null when there is nothing to receive, or it is under way. */
  readonly begin: () => Redemption | null;
  readonly received: (token: string, credit: Credit) => void;
  readonly refused: (token: string, error: Pick<ApiError, 'code' | 'message' | 'status' | 'details'>) => void;
  /** A followed operation ended. */
  readonly ended: (operationId: string, result: Credit | Failure) => void;
}

/** The token in a text as it was pasted: mail and terminals break lines in the middle. */
export const tokenIn = (text: string): string => text.replaceAll(/\s+/g, '');

/** Whether a receive of this token is under way, here or in the wallet. */
export const isUnderWay = ({ sending, followed }: Desk, token: string): boolean =>
  sending || followed.some((item) => item.token === token && item.end === null);

// Whoever retries after one of these must ask with the same key: the token may be redeemed already.
const isUnsure = ({ code, status }: Pick<ApiError, 'code' | 'status'>): boolean =>
  code === 'offline' || code === 'unexpected_answer' || code === 'idempotency_key_in_use' || status >= 500;

/** Makes an empty desk. `newKey` makes an Idempotency-Key. */
export const createTokenDesk = (newKey: () => string): TokenDesk => {
  let desk: Desk = { text: '', sending: false, outcome: null, followed: [] };
  const listeners = new Set<() => void>();
  const keyOf = new Map<string, string>();
  const change = (next: Partial<Desk>): void => {
    desk = { ...desk, ...next };
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
    received: (token, { amount, fee }) => {
      keyOf.delete(token);
      change({ sending: false, text: textWithout(token), outcome: { kind: 'received', amount, fee } });
    },
    refused: (token, error) => {
      const { code, message, details } = error;
      if (!isUnsure(error)) keyOf.delete(token);
      if (code === 'redemption_pending' && typeof details?.operationId === 'string') {
        const followed = [...desk.followed, { token, operationId: details.operationId, end: null }];
        change({ sending: false, followed });
      } else change({ sending: false, outcome: { kind: 'refused', token, code, message } });
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

// `crypto.randomUUID` is missing where the page is not served from this machine (HOST) and without TLS.
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The one desk of the page. */
export const tokenDesk: TokenDesk = createTokenDesk(randomKey);
