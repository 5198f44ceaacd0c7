import { createStore } from 'zustand/vanilla';

/** What a person did to start an agent: they opened a terminal with it, or only copied the command. */
export type AgentRun = 'opened' | 'copied';

const runs = createStore<ReadonlyMap<string, AgentRun>>(() => new Map());

/** Reports what a person did to start an agent from this page. */
export const reportRun = (id: string, run: AgentRun): void => {
  if (lastRun(id) !== 'opened') runs.setState(new Map(runs.getState()).set(id, run), true);
};

/** The most that was done to start an agent. Undefined if nothing was. */
export const lastRun = (id: string): AgentRun | undefined => runs.getState().get(id);

/** Calls `listener` after each report, until the returned function is called. */
export const followRuns = (listener: () => void): (() => void) => runs.subscribe(listener);
