import { type FormEvent, useRef, useState } from 'react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentPackage } from '../../../../shared/api/packages.ts';
import { isWindowsPath } from '../../../../shared/run-command.ts';
import { packages as words } from '../../strings/packages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { reportFailure } from '../../ui/failures.ts';
import { TextField } from '../../ui/field.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { useChangePackage, usePackages } from './use-packages.ts';

interface PackageRowProps {
  readonly agent: AgentSummary;
  readonly entry: AgentPackage;
  readonly onRemove: () => void;
}

/** One package: its source, its installed copy, what it adds, and how to install it. */
const PackageRow = ({ agent: { path }, entry, onRemove }: PackageRowProps) => {
  const { source, installed, place, install, problem, filters } = entry;
  const name = source ?? words.noSource;
  const command = isWindowsPath(path) ? install?.powershell : install?.posix;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 border-t border-line py-2.5">
      <div className="flex min-w-40 flex-1 flex-col gap-0.5">
        <span className="font-mono font-medium wrap-anywhere">{name}</span>
        {problem === undefined && <span className="text-sm text-muted">{words.state(entry)}</span>}
        {installed && (
          <span className="text-sm wrap-anywhere">
            {words.adds(entry)} <span className="text-muted">{words.names(entry)}</span>
          </span>
        )}
        {!installed && Object.keys(filters).length > 0 && (
          <code className="text-sm text-muted wrap-anywhere">{JSON.stringify(filters)}</code>
        )}
        {problem !== undefined && <p className="text-sm text-danger wrap-anywhere">{problem}</p>}
        {command !== undefined && !installed && place === 'inside' && problem === undefined && (
          <div className="flex items-start gap-1">
            <code className="min-w-0 flex-1 rounded-md bg-sunken px-2 py-1 font-mono text-sm wrap-anywhere">
              {command}
            </code>
            <CopyButton label={words.copyInstall(name)} text={command} />
          </div>
        )}
      </div>
      {source !== null && (
        <Button
          size="small"
          data-row-action="remove"
          aria-label={words.removeLabel(source)}
          onClick={onRemove}
        >
          {words.remove}
        </Button>
      )}
    </li>
  );
};

/** The pi packages in an agent's settings.json, and a field to add one. */
export const PackagesPart = ({ agent }: { readonly agent: AgentSummary }) => {
  const { id } = agent;
  const state = usePackages(id);
  const list = useRef<HTMLElement>(null);
  useFocusAfterRemoval(list);
  const [source, setSource] = useState('');
  const [problem, setProblem] = useState<string>();
  const { mutate, isPending } = useChangePackage(id, state?.etag ?? null);
  if (!state) return null;
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const added = source.trim();
    if (added === '') return;
    mutate(
      { add: added },
      {
        onSuccess: () => setSource(''),
        onError: (error) => setProblem(error.message),
      },
    );
  };
  const remove = (entry: AgentPackage): void =>
    mutate(
      { remove: entry },
      {
        onError: (error) =>
          reportFailure(`packages of ${id}`, words.failed(entry.source ?? words.noSource), error),
      },
    );
  return (
    <section ref={list} tabIndex={-1} aria-label={words.label(id)} className="flex flex-col outline-none">
      <h2 className="pb-1 font-semibold">{words.heading}</h2>
      <p className="pb-2.5 text-sm text-muted">{words.hint}</p>
      {state.problem !== undefined && <p className="pb-2 text-sm text-danger">{state.problem}</p>}
      <ul>
        {state.packages.map((entry) => (
          <PackageRow
            key={`${entry.index} ${entry.source}`}
            agent={agent}
            entry={entry}
            onRemove={() => remove(entry)}
          />
        ))}
      </ul>
      <form onSubmit={add} className="flex flex-col gap-2 border-t border-line py-2.5">
        <TextField
          label={words.source}
          value={source}
          onValueChange={(text) => {
            setSource(text);
            setProblem(undefined);
          }}
          hint={words.sourceHint}
          error={problem}
        />
        <span>
          <Button type="submit" disabled={isPending || source.trim() === ''}>
            {words.add}
          </Button>
        </span>
      </form>
    </section>
  );
};
