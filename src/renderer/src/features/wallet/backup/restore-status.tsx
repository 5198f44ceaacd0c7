import type { ReactNode } from 'react';
import type { Restored } from '../../../../../shared/api/wallet.ts';
import type { SearchProgress } from '../../../api/wallet-queries.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Callout } from '../../../ui/callout.tsx';
import { Failure } from '../../../ui/failures.tsx';
import { failureTitleOf, headlineOf, type SearchKind, type SearchState, skippedOf } from './restore-store.ts';

// Set the colors, because browsers' default makes an empty bar look full.
const PROGRESS =
  'h-1.5 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent ' +
  '[&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent';

interface RestoreStatusProps {
  readonly state: SearchState;
  readonly progress: SearchProgress;
  /** The actions for a search that ended. */
  readonly children?: ReactNode;
}

/** The progress or the result of a search at the mint. */
export const RestoreStatus = ({ state, progress, children }: RestoreStatusProps) => (
  <>
    {state.status === 'running' && <Running title={words.search.running[state.kind]} progress={progress} />}
    {/* The search was started by another page, or by the server at startup. */}
    {state.status !== 'running' && progress && (
      <Running title={words.search.background} progress={progress} />
    )}
    {/* Always rendered, so that screen readers announce its changes. */}
    <div role="status" className="flex min-w-0 flex-col empty:hidden">
      {state.status === 'done' && (
        <Found kind={state.kind} restored={state.restored}>
          {children}
        </Found>
      )}
    </div>
    {state.status === 'failed' && (
      <Failure
        title={failureTitleOf(state.kind, state.error)}
        message={state.error.message}
        code={state.error.code}
        advice={words.search.advice[state.error.code]}
        actions={children}
      >
        <Skipped skipped={skippedOf(state.error)} />
      </Failure>
    )}
  </>
);

const Running = ({ title, progress }: { readonly title: string; readonly progress: SearchProgress }) => (
  <Callout tone="wait" title={title}>
    {progress ? (
      <>
        <progress
          aria-label={words.search.label}
          max={Math.max(progress.keysets, 1)}
          value={progress.keysetsDone}
          className={PROGRESS}
        />
        <p className="flex flex-wrap gap-x-3 text-sm text-muted tabular-nums">
          <span>{words.search.keysets(progress.keysetsDone, progress.keysets)}</span>
          <span>{words.search.counters(progress.counters)}</span>
          <span>{words.search.sats(progress.sats)}</span>
        </p>
      </>
    ) : (
      <p>{words.search.asking}</p>
    )}
    <p className="text-sm text-muted">{words.search.hint}</p>
  </Callout>
);

interface FoundProps {
  readonly kind: SearchKind;
  readonly restored: Restored;
  readonly children: ReactNode;
}

const Found = ({ kind, restored, children }: FoundProps) => {
  const { found, amount, pending, proofs, fee, skipped } = restored;
  const left = found - amount - fee;
  const isPart = left > 0 || skipped.length > 0;
  const isDust = left > 0 && pending === 0 && skipped.length === 0;
  return (
    <Callout tone={isPart ? 'warn' : 'ok'} title={headlineOf(kind, restored)}>
      <p>{words.search.foundSats(found)}</p>
      {amount > 0 && <p>{words.search.credited(amount, proofs, fee)}</p>}
      {pending > 0 && <p>{words.search.pending(pending)}</p>}
      {isDust && <p>{words.search.dust(left)}</p>}
      {kind === 'restore' && found > 0 && <p>{words.search.words[restored.words]}</p>}
      {found === 0 && skipped.length === 0 && <p>{words.search.noneMissingHint}</p>}
      <Skipped skipped={skipped} />
      {children}
    </Callout>
  );
};

/** The keysets that a search skipped, each with the reason. */
const Skipped = ({ skipped }: Pick<Restored, 'skipped'>) =>
  skipped.length > 0 && (
    <>
      <p>{words.search.skipped(skipped.length)}</p>
      <ul className="flex flex-col gap-0.5 text-sm">
        {skipped.map(({ keysetId, reason }) => (
          <li key={keysetId} className="break-words">
            <code className="break-all">{keysetId}</code> <bdi className="text-muted">{reason}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
