import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import { linksQuery, summaryQuery } from '../../api/queries.ts';
import { type AgentRun, followRuns, lastRun } from '../../intents.ts';
import { kept } from '../../kept.ts';

/** The steps, in their order. */
export const STEPS = ['edit', 'link', 'run'] as const;

/** One of {@link STEPS}. */
export type Step = (typeof STEPS)[number];

/** What the agent was like at the beginning. Its parts are null until they are read. */
interface Beginning {
  readonly id: string;
  readonly texts: string | null;
  readonly skills: readonly string[] | null;
  /** What was done since to start it. */
  readonly run?: AgentRun | undefined;
}

const readKept = (): Beginning | null => {
  try {
    const read: unknown = JSON.parse(kept.get('first-steps') ?? 'null');
    return typeof read === 'object' && read !== null && 'id' in read ? (read as Beginning) : null;
  } catch {
    return null;
  }
};

const store = createStore<Beginning | null>(readKept);
store.subscribe((beginning) =>
  kept.set('first-steps', beginning === null ? null : JSON.stringify(beginning)),
);
kept.subscribe(() => {
  const beginning = readKept();
  if (JSON.stringify(beginning) !== JSON.stringify(store.getState())) store.setState(beginning, true);
});

/** Begins the steps with an agent. */
export const beginFirstSteps = (id: string): void => store.setState({ id, texts: null, skills: null }, true);

/** Ends the steps. */
export const endFirstSteps = (): void => store.setState(null, true);

/** Changes with each text of an agent. */
export const textsOf = ({ files }: Pick<AgentSummary, 'files'>): string =>
  Object.values(files)
    .map(({ etag }) => etag ?? '-')
    .join(' ');

/** The steps that were taken since the beginning, as the files and links of the agent say. */
export const stepsDone = (
  beginning: Pick<Beginning, 'texts' | 'skills' | 'run'>,
  texts: string | undefined,
  skills: readonly string[] | undefined,
): ReadonlySet<Step> => {
  const done = new Set<Step>();
  if (beginning.texts !== null && texts !== undefined && texts !== beginning.texts) done.add('edit');
  const had = beginning.skills;
  if (had !== null && skills?.some((name) => !had.includes(name))) done.add('link');
  if (beginning.run) done.add('run');
  return done;
};

const namesOf = (entries: readonly LinkEntry[]): string[] => entries.map(({ name }) => name);

/** The steps that are done, and whether the agent was started or only its command copied. */
interface FirstSteps {
  readonly done: ReadonlySet<Step>;
  readonly run: AgentRun | undefined;
}

/** The first steps with an agent. Null if this agent has none. */
export const useFirstSteps = (id: string): FirstSteps | null => {
  const beginning = useSyncExternalStore(store.subscribe, store.getState);
  const isOurs = beginning?.id === id;
  const texts = useQuery({ ...summaryQuery(id), enabled: isOurs, select: textsOf }).data;
  const skills = useQuery({ ...linksQuery(id, 'skills'), enabled: isOurs, select: namesOf }).data;
  const ran = useSyncExternalStore(followRuns, () => lastRun(id));

  useEffect(() => {
    if (!beginning || !isOurs) return;
    const next = {
      ...beginning,
      texts: beginning.texts ?? texts ?? null,
      skills: beginning.skills ?? skills ?? null,
      run: ran ?? beginning.run,
    };
    if (JSON.stringify(next) !== JSON.stringify(beginning)) store.setState(next, true);
  }, [beginning, isOurs, texts, skills, ran]);

  if (!beginning || !isOurs) return null;
  return { done: stepsDone(beginning, texts, skills), run: beginning.run };
};
