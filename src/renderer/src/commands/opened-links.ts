let waiting: readonly string[] = [];
const listeners = new Set<() => void>();

/**
 * Hands over the text of a `cashu:` link that was opened. It waits until the wallet takes it.
 * SECURITY: it is money, so it is in memory only, and in no address.
 */
export const handLink = (text: string): void => {
  waiting = [...waiting, text];
  for (const listener of listeners) listener();
};

/** Whether links wait that nobody took. */
export const linksWait = (): boolean => waiting.length > 0;

/** Tells `listener` that a link came, until what is answered is called. */
export const followWaiting = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Gives `take` every link that waits or comes, each once, the oldest first; until what is answered is called. */
export const followLinks = (take: (text: string) => void): (() => void) => {
  const takeAll = (): void => {
    const links = waiting;
    waiting = [];
    links.forEach(take);
  };
  takeAll();
  return followWaiting(takeAll);
};
