import { useSyncExternalStore } from 'react';
import { bareTokens, isTokenText, isWholeToken } from '../../../../../shared/bare-token.ts';
import { unsaved } from '../../../drafts/unsaved.ts';
import { followWaiting, linksWait } from '../../../shell/intents.ts';
import { releasedToken } from '../history/released-token.ts';
import { receiveStore } from './receive-store.ts';
import { tokenQueue } from './token-queue.ts';

/**
 * Returns whether the page holds a token that exists nowhere else: in the field, from a link, or just released.
 * SECURITY: tokens are in memory only, so closing the page loses the money. The wallet itself stores the tokens of
 * pending receives.
 */
export const holdsTokens = (): boolean => {
  const { text, pendingReceives, ownTokens } = receiveStore.get();
  const isKept = (token: string): boolean =>
    ownTokens.includes(token) || pendingReceives.some((item) => item.token === token && item.end === null);
  const isInField = bareTokens(text).some((token) => isTokenText(token) && !isKept(token));
  // Only the first item matters: a link's problem is queued after the waiting tokens.
  const first = tokenQueue.first();
  const isWaiting = first !== null && 'token' in first;
  return isInField || isWaiting || linksWait() || releasedToken.get() !== null;
};

/**
 * Returns whether all that leaving would lose is text in the field that isn't a whole token, such as a part of one or a
 * text that only looks like one.
 */
const holdsOnlyText = (): boolean => {
  const isElsewhere = tokenQueue.first() !== null || linksWait() || releasedToken.get() !== null;
  return !isElsewhere && !bareTokens(receiveStore.get().text).some(isWholeToken);
};

unsaved.guard('token', () => holdsTokens() && !holdsOnlyText());
unsaved.guard('text', () => holdsTokens() && holdsOnlyText());

const subscribe = (listener: () => void): (() => void) => {
  const stops = [
    receiveStore.subscribe(listener),
    tokenQueue.subscribe(listener),
    followWaiting(listener),
    releasedToken.subscribe(listener),
  ];
  return () => {
    for (const stop of stops) stop();
  };
};

/** {@link holdsTokens}, updated when it changes. */
export const useHoldsTokens = (): boolean => useSyncExternalStore(subscribe, holdsTokens);
