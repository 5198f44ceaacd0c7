import { Circle, CircleCheck, X } from 'lucide-react';
import { Link } from 'wouter';
import { paths } from '../../routes.ts';
import { firstSteps as words } from '../../strings/first-run.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { endFirstSteps, STEPS, type Step, useFirstSteps } from './first-steps.ts';

const pathOf = (step: Step, id: string): string =>
  step === 'link' ? paths.agent(id, { kind: 'skills' }) : paths.agent(id);

/** A short checklist above the first agent that a person opens. Each step ticks once it is really done. */
export const FirstStepsBar = ({ id }: { readonly id: string }) => {
  const steps = useFirstSteps(id);
  if (steps === null) return null;
  const { done, run } = steps;
  const isAll = done.size === STEPS.length;
  return (
    <section
      aria-label={words.label(id)}
      className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-accent-soft px-4 py-1.5"
    >
      <p role="status" className="font-medium">
        {isAll ? words.allDone[run ?? 'opened'] : words.heading}
      </p>
      {!isAll && (
        <ol className="flex flex-wrap gap-x-1">
          {STEPS.map((step) => (
            <StepItem
              key={step}
              label={step === 'run' && run === 'copied' ? words.copiedRun : words.steps[step]}
              path={pathOf(step, id)}
              isDone={done.has(step)}
            />
          ))}
        </ol>
      )}
      <span className="ml-auto">
        <Button variant="quiet" size="icon" aria-label={words.dismiss} onClick={endFirstSteps}>
          <X aria-hidden="true" className="size-3.5" />
        </Button>
      </span>
    </section>
  );
};

interface StepItemProps {
  readonly label: string;
  readonly path: string;
  readonly isDone: boolean;
}

const StepItem = ({ label, path, isDone }: StepItemProps) => {
  const Icon = isDone ? CircleCheck : Circle;
  return (
    <li>
      <Link
        href={path}
        className={cx('flex h-7 items-center gap-1.5 rounded-md px-2 hover:bg-hover', isDone && 'text-muted')}
      >
        <Icon aria-hidden="true" className={cx('size-4', isDone ? 'text-ok' : 'text-muted')} />
        {label}
        {isDone && <span className="sr-only">{words.done}</span>}
      </Link>
    </li>
  );
};
