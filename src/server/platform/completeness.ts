import type { AgentBudget } from '../../shared/api/budgets.ts';
import type { Usage } from '../../shared/api/usage.ts';

/** What figures from session files leave out, for all agents. */
export type Completeness = Pick<Usage, 'complete' | 'reading' | 'notCounted'>;

/** What figures from session files leave out, for one agent. */
type AgentCompleteness = Pick<AgentBudget, 'complete' | 'reading' | 'notCounted'>;

/** What the reader of session files has left out so far. */
interface LeftOut {
  readonly isReading: boolean;
  readonly agents: Iterable<string>;
  /** True if it left out something that can be any agent's. */
  readonly isAnyones: boolean;
}

export const toCompleteness = ({ isReading, agents, isAnyones }: LeftOut): Completeness => {
  const notCounted = [...new Set(agents)].sort();
  const complete = !isReading && !isAnyones && notCounted.length === 0;
  return { complete, reading: isReading, notCounted } as Completeness;
};

/** Returns the part of a {@link Completeness} that concerns one agent, or all of it without an agent. */
export const limitTo = (all: Completeness, agent: string | undefined): Completeness => {
  if (agent === undefined) return all;
  const isOthers = all.notCounted.length > 0 && !all.notCounted.includes(agent);
  return toCompleteness({
    isReading: all.reading,
    agents: all.notCounted.filter((id) => id === agent),
    isAnyones: !all.complete && !isOthers,
  });
};

/** Returns whether figures leave something out that further reading doesn't add. */
export const leavesOut = ({ complete, reading, notCounted }: Completeness): boolean =>
  notCounted.length > 0 || !(complete || reading);

/** Returns what several figures leave out together, for one agent. */
export const completenessOf = (agent: string, parts: readonly Completeness[]): AgentCompleteness => {
  const own = parts.map((part) => limitTo(part, agent));
  return {
    complete: own.every(({ complete }) => complete),
    reading: own.some(({ reading }) => reading),
    notCounted: own.some(leavesOut),
  } as AgentCompleteness;
};
