import { useState } from 'react';
import type { EntryText } from '../../../shared/api/catalog.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import type { ReadStatus } from '../api/read-status.ts';
import { catalog as catalogWords } from '../strings/catalog.ts';
import { Avatar } from './avatar.tsx';
import { Button } from './button.tsx';
import { Diagnostics, type ShownProblem } from './diagnostics.tsx';
import { ErrorState } from './error-state.tsx';
import { lazyView } from './lazy-view.tsx';
import { Loading } from './loading.tsx';
import { PathText } from './path-text.tsx';
import { User } from './user.tsx';

/** How many agents a row names. A dialog lists all of them. */
const SHOWN = 6;

const UsedByDialog = lazyView(async () => (await import('./used-by-dialog.tsx')).UsedByDialog);

interface UsedByProps {
  readonly kind: LinkKind;
  readonly name: string;
  readonly agents: readonly string[];
}

/** The agents that link to a shared entry. Each name opens that agent's links. */
const UsedBy = ({ kind, name, agents }: UsedByProps) => {
  const [open, setOpen] = useState<boolean>();
  if (agents.length === 0) return <p className="text-sm text-muted">{catalogWords.usedByNone}</p>;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <span aria-hidden="true" className="text-muted">
        {catalogWords.usedBy}
      </span>
      <ul aria-label={catalogWords.usedByLabel(name)} className="contents">
        {agents.slice(0, SHOWN).map((id) => (
          <li key={id} className="min-w-0">
            <User
              id={id}
              kind={kind}
              className="inline-flex max-w-48 items-center gap-1.5 rounded-full border border-line py-0.5 pr-2 pl-1"
            >
              <Avatar id={id} size="small" />
              <span className="truncate">{id}</span>
            </User>
          </li>
        ))}
      </ul>
      {agents.length > SHOWN && (
        <Button
          variant="quiet"
          size="small"
          aria-label={catalogWords.showAllLabel(name, agents.length)}
          onClick={() => setOpen(true)}
        >
          {catalogWords.showAll(agents.length)}
        </Button>
      )}
      {open !== undefined && (
        <UsedByDialog kind={kind} name={name} agents={agents} open={open} onOpenChange={setOpen} />
      )}
    </div>
  );
};

const EntryBody = lazyView(async () => (await import('./entry-body.tsx')).EntryBody, 'part');

interface EntryDetailsProps {
  readonly kind: LinkKind;
  readonly name: string;
  /** The entry's path, relative to the root. */
  readonly path?: string | undefined;
  readonly description: string | undefined;
  readonly diagnostics: readonly ShownProblem[];
  /** The agents that link to the entry. Undefined while unknown, and for an entry that isn't shared. */
  readonly users: readonly string[] | undefined;
  /** Undefined for an entry without text to show, such as an extension. */
  readonly text: ReadStatus<EntryText> | undefined;
}

/** An entry's details: its description, problems, users and text. */
export const EntryDetails = (props: EntryDetailsProps) => {
  const { kind, name, path, description, diagnostics, users, text } = props;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1">
        <p className="break-words">{description ?? catalogWords.noDescription}</p>
        {path !== undefined && (
          <code className="text-sm text-muted">
            <PathText path={path} />
          </code>
        )}
      </div>
      {diagnostics.length > 0 && (
        <section
          aria-label={catalogWords.problemsHeading}
          className="rounded-md border border-line px-3 py-2"
        >
          <Diagnostics items={diagnostics} />
        </section>
      )}
      {users && <UsedBy kind={kind} name={name} agents={users} />}
      {text && (
        <section aria-label={catalogWords.fileText} className="rounded-lg border border-line px-4 py-3">
          {text.status === 'loading' && <Loading />}
          {text.status === 'error' && <ErrorState error={text.error} onRetry={text.retry} />}
          {text.status === 'ready' && <EntryBody kind={kind} text={text.data.text} />}
        </section>
      )}
    </div>
  );
};
