import { createStore } from 'zustand/vanilla';

const runs = createStore<readonly string[]>(() => []);

/** Reports that a person started an agent from this page, or copied the command that starts it. */
export const reportRun = (id: string): void => {
  if (!hasRun(id)) runs.setState([...runs.getState(), id], true);
};

/** Whether {@link reportRun} was called for an agent. */
export const hasRun = (id: string): boolean => runs.getState().includes(id);

/** Calls `listener` after each report, until the returned function is called. */
export const followRuns = (listener: () => void): (() => void) => runs.subscribe(listener);
