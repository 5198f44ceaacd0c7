import type { SkillText } from '../../../shared/api/catalog.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import type { ReadStatus } from '../api/read-status.ts';
import { catalog as catalogTexts } from '../strings/catalog.ts';
import { Diagnostics, type ShownProblem } from './diagnostics.tsx';
import { ErrorState } from './error-state.tsx';
import { lazyView } from './lazy-view.tsx';
import { Loading } from './loading.tsx';
import { PathText } from './path-text.tsx';
import { UsedBy } from './used-by.tsx';

const words = catalogTexts;

const SkillBody = lazyView(async () => (await import('./skill-body.tsx')).SkillBody, 'part');

interface EntryDetailsProps {
  readonly kind: LinkKind;
  readonly name: string;
  /** Relative to the root. */
  readonly path?: string | undefined;
  readonly description: string | undefined;
  readonly diagnostics: readonly ShownProblem[];
  /** The agents that link to it. Undefined while unknown, and for an entry that isn't shared. */
  readonly users: readonly string[] | undefined;
  /** Undefined for an entry without a SKILL.md, such as an extension. */
  readonly text: ReadStatus<SkillText> | undefined;
}

/** What a skill or an extension is: its description, its problems, the agents that use it, and its SKILL.md. */
export const EntryDetails = (props: EntryDetailsProps) => {
  const { kind, name, path, description, diagnostics, users, text } = props;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1">
        <p className="break-words">{description ?? words.noDescription}</p>
        {path !== undefined && (
          <code className="text-sm text-muted">
            <PathText path={path} />
          </code>
        )}
      </div>
      {diagnostics.length > 0 && (
        <section aria-label={words.problemsHeading} className="rounded-md border border-line px-3 py-2">
          <Diagnostics items={diagnostics} />
        </section>
      )}
      {users && <UsedBy kind={kind} name={name} agents={users} />}
      {text && (
        <section aria-label={words.skillFile} className="rounded-lg border border-line px-4 py-3">
          {text.status === 'loading' && <Loading />}
          {text.status === 'error' && <ErrorState error={text.error} onRetry={text.retry} />}
          {text.status === 'ready' && <SkillBody text={text.data.text} />}
        </section>
      )}
    </div>
  );
};
