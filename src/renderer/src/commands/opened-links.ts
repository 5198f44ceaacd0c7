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

/** Gives `take` every link that waits or comes, each once, the oldest first; until what is answered is called. */
export const followLinks = (take: (text: string) => void): (() => void) => {
  const takeAll = (): void => {
    const links = waiting;
    waiting = [];
    links.forEach(take);
  };
  takeAll();
  listeners.add(takeAll);
  return () => {
    listeners.delete(takeAll);
  };
};
