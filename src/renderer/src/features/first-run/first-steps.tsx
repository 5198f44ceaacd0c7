import { useQuery } from '@tanstack/react-query';
import { Circle, CircleCheck, X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { createStore } from 'zustand/vanilla';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import { readinessQuery } from '../../api/agent-queries.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { linksQuery, summaryQuery } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { paymentsQuery } from '../../api/wallet-queries.ts';
import { kept } from '../../kept.ts';
import { paths } from '../../routes.ts';
import { type AgentRun, followCreated, followRuns, lastCreated, lastRun } from '../../shell/intents.ts';
import { firstSteps as words } from '../../strings/first-run.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';

const STEPS = ['model', 'edit', 'link', 'run', 'pay'] as const;

type Step = (typeof STEPS)[number];

/** The agent's initial state. Its parts are null until loaded. */
interface Beginning {
  readonly id: string;
  readonly texts: string | null;
  readonly skills: readonly string[] | null;
  /** The model that the agent had. */
  readonly model?: { readonly name: string | null } | undefined;
  /** How the agent was started since the checklist began. */
  readonly run?: AgentRun | undefined;
  /** True if the person created the agent. */
  readonly isOwn?: boolean;
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

/** Starts the checklist for an agent. */
export const beginFirstSteps = (id: string): void => store.setState({ id, texts: null, skills: null }, true);

const endFirstSteps = (): void => store.setState(null, true);

/** The files of an agent's prompt. */
interface PromptFiles {
  readonly files: Readonly<
    Record<'SYSTEM.md' | 'APPEND_SYSTEM.md', Pick<AgentSummary['files']['SYSTEM.md'], 'size' | 'modifiedAt'>>
  >;
}

/** Returns a string that changes with any part of an agent's prompt, but not with its model. */
export const promptsOf = ({ files }: PromptFiles): string =>
  [files['SYSTEM.md'], files['APPEND_SYSTEM.md']].map((file) => `${file?.size} ${file?.modifiedAt}`).join();

/** The agent's current state. Its parts are undefined until loaded. */
interface Now {
  readonly texts?: string | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly payments?: number | undefined;
  readonly model?: string | null | undefined;
  readonly isSignedIn?: boolean | undefined;
}

/** Returns the steps that were completed since the beginning, according to the agent's files, links and earnings. */
export const stepsDone = (
  beginning: Pick<Beginning, 'texts' | 'skills' | 'model' | 'run'>,
  { texts, skills, payments = 0, model, isSignedIn }: Now,
): ReadonlySet<Step> => {
  const done = new Set<Step>();
  const isOther = beginning.model !== undefined && model !== undefined && model !== beginning.model.name;
  if (isSignedIn || isOther) done.add('model');
  if (beginning.texts !== null && texts !== undefined && texts !== beginning.texts) done.add('edit');
  const had = beginning.skills;
  if (had !== null && skills?.some((name) => !had.includes(name))) done.add('link');
  if (beginning.run) done.add('run');
  if (payments > 0) done.add('pay');
  return done;
};

const namesOf = (entries: readonly LinkEntry[]): string[] => entries.map(({ name }) => name);

/** The completed steps, and whether the agent was started or only its command copied. */
interface FirstSteps {
  readonly agent: AgentSummary | undefined;
  readonly done: ReadonlySet<Step>;
  readonly run: AgentRun | undefined;
}

/** Tracks the first steps with an agent. Null if the checklist isn't for this agent. */
const useFirstSteps = (id: string): FirstSteps | null => {
  const beginning = useSyncExternalStore(store.subscribe, store.getState);
  const isOurs = beginning?.id === id;
  const agent = useQuery({ ...summaryQuery(id), enabled: isOurs }).data;
  const texts = agent && promptsOf(agent);
  const skills = useQuery({ ...linksQuery(id, 'skills'), enabled: isOurs, select: namesOf }).data;
  const payments = useQuery({ ...paymentsQuery(id), enabled: isOurs }).data;
  const readiness = lastRead(useQuery({ ...readinessQuery(id), enabled: isOurs }));
  const model = readiness?.model;
  const ran = useSyncExternalStore(followRuns, () => lastRun(id));
  const made = useSyncExternalStore(followCreated, lastCreated);

  useEffect(() => {
    // The steps move to the first agent that a person creates.
    if (beginning && !beginning.isOwn && made === id)
      store.setState({ id, texts: null, skills: null, isOwn: true }, true);
  }, [beginning, made, id]);

  useEffect(() => {
    if (!beginning || !isOurs) return;
    const next = {
      ...beginning,
      texts: beginning.texts ?? texts ?? null,
      skills: beginning.skills ?? skills ?? null,
      model: beginning.model ?? (model === undefined ? undefined : { name: model }),
      run: ran ?? beginning.run,
    };
    if (JSON.stringify(next) !== JSON.stringify(beginning)) store.setState(next, true);
  }, [beginning, isOurs, texts, skills, model, ran]);

  if (!beginning || !isOurs) return null;
  const isSignedIn = readiness?.signIn.state === 'ready';
  const done = stepsDone(beginning, { texts, skills, payments, model, isSignedIn });
  return { agent, done, run: beginning.run };
};

const pathOf = (step: Exclude<Step, 'run'>, id: string): string => {
  if (step === 'model') return paths.agent(id, { kind: 'models' });
  if (step === 'link') return paths.agent(id, { kind: 'skills' });
  return step === 'pay' ? paths.agent(id, { kind: 'activity' }) : paths.agent(id);
};

const labelOf = (step: Step, run: AgentRun | undefined): string => {
  if (step !== 'run') return words.steps[step];
  if (run === 'copied') return words.copiedRun;
  return desktopBridge()?.runInTerminal ? words.steps.run : words.copyRun;
};

interface FirstStepsBarProps {
  readonly id: string;
  /** Runs the agent in a terminal, or copies its run command. */
  readonly onRun: (agent: AgentSummary) => void;
}

/** A short checklist above the first agent that a person opens. Each step is checked once it's really done. */
export const FirstStepsBar = ({ id, onRun }: FirstStepsBarProps) => {
  const steps = useFirstSteps(id);
  if (steps === null) return null;
  const { agent, done, run } = steps;
  const isAll = done.size === STEPS.length;
  return (
    <section
      aria-label={words.label(id)}
      className="relative flex min-h-10 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-accent-soft py-1.5 pr-10 pl-4"
    >
      <p role="status" className="font-medium">
        {isAll ? words.allDone[run ?? 'opened'] : words.heading}
      </p>
      {!isAll && (
        <ol className="flex flex-wrap gap-x-1">
          {STEPS.map((step) => (
            <li key={step}>
              {step === 'run' ? (
                <button
                  type="button"
                  disabled={!agent}
                  onClick={() => agent && onRun(agent)}
                  className={stepClass(done.has(step))}
                >
                  <StepLabel label={labelOf(step, run)} isDone={done.has(step)} />
                </button>
              ) : (
                <Link href={pathOf(step, id)} className={stepClass(done.has(step))}>
                  <StepLabel label={labelOf(step, run)} isDone={done.has(step)} />
                </Link>
              )}
            </li>
          ))}
        </ol>
      )}
      <span className="absolute top-1.5 right-4">
        <Button variant="quiet" size="icon" aria-label={words.dismiss} onClick={endFirstSteps}>
          <X aria-hidden="true" className="size-3.5" />
        </Button>
      </span>
    </section>
  );
};

const stepClass = (isDone: boolean): string =>
  cx('flex h-7 items-center gap-1.5 rounded-md px-2 hover:bg-hover', isDone && 'text-muted');

const StepLabel = ({ label, isDone }: { readonly label: string; readonly isDone: boolean }) => {
  const Icon = isDone ? CircleCheck : Circle;
  return (
    <>
      <Icon aria-hidden="true" className={cx('size-4', isDone ? 'text-ok' : 'text-muted')} />
      {label}
      {isDone && <span className="sr-only">{words.done}</span>}
    </>
  );
};
