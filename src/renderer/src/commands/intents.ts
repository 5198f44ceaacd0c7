import { useEffect, useRef } from 'react';

/** Things that a command asks of a page that may not be open yet. */
export type Intent = 'new-agent' | 'duplicate-agent' | 'receive-token';

let pending: Intent | null = null;
const listeners = new Set<() => void>();

/** Asks for something; the page that does it takes it up, now or when it opens. */
export const raiseIntent = (intent: Intent): void => {
  pending = intent;
  for (const listener of listeners) listener();
};

/** Takes up an intent, each once. */
export const useIntent = (intent: Intent, run: () => void): void => {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const take = (): void => {
      if (pending !== intent) return;
      pending = null;
      latest.current();
    };
    take();
    listeners.add(take);
    return () => {
      listeners.delete(take);
    };
  }, [intent]);
};
