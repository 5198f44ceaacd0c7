import { useSyncExternalStore } from 'react';
import { followWaiting, linksWait } from '../../commands/opened-links.ts';
import { tokenDesk, tokenIn } from './token-desk.ts';
import { tokenQueue } from './token-queue.ts';

/**
 * Whether the page holds a token that is nowhere else: in the field, or brought by a link and not taken yet. SECURITY:
 * tokens are in memory only, so one that closes the page loses the money. What the wallet follows is in the wallet.
 */
export const holdsTokens = (): boolean => {
  const { text, followed } = tokenDesk.get();
  const token = tokenIn(text);
  const isFollowed = followed.some((item) => item.token === token && item.end === null);
  // A problem of a link comes after the tokens that wait.
  const first = tokenQueue.first();
  return (token !== '' && !isFollowed) || (first !== null && 'token' in first) || linksWait();
};

const subscribe = (listener: () => void): (() => void) => {
  const stops = [tokenDesk.subscribe(listener), tokenQueue.subscribe(listener), followWaiting(listener)];
  return () => {
    for (const stop of stops) stop();
  };
};

/** {@link holdsTokens}, as it changes. */
export const useHoldsTokens = (): boolean => useSyncExternalStore(subscribe, holdsTokens);
