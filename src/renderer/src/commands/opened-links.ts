import { createStore } from 'zustand/vanilla';

const waiting = createStore<readonly string[]>(() => []);

/**
 * Keeps the text of an opened `cashu:` link until the wallet consumes it.
 * SECURITY: a token is money, so it stays in memory and never appears in an address.
 */
export const handLink = (text: string): void => {
  waiting.setState([...waiting.getState(), text], true);
};

/** Whether any opened link is still waiting. */
export const linksWait = (): boolean => waiting.getState().length > 0;

/** Calls `listener` for each opened link, until the returned function is called. */
export const followWaiting = (listener: () => void): (() => void) => waiting.subscribe(listener);

/** Passes each waiting and future link to `take` once, oldest first, until the returned function runs. */
export const followLinks = (take: (text: string) => void): (() => void) => {
  const takeAll = (): void => {
    const links = waiting.getState();
    if (links.length === 0) return;
    waiting.setState([], true);
    links.forEach(take);
  };
  takeAll();
  return followWaiting(takeAll);
};
