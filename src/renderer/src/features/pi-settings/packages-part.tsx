import { type FormEvent, useRef, useState } from 'react';
import { canFilter } from '../../../../pi/package-filters.ts';
import { PACKAGE_RESOURCES, parsePackageSource, possibleSources } from '../../../../pi/packages.ts';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentPackage } from '../../../../shared/api/packages.ts';
import { isWindowsPath } from '../../../../shared/run-command.ts';
import { packages as words } from '../../strings/packages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Problem, reportFailure } from '../../ui/failures.tsx';
import { TextField } from '../../ui/field.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { type PartSwitch, useChangePackage, usePackages } from './use-packages.ts';

interface PartsProps {
  readonly entry: AgentPackage;
  readonly source: string;
  /** The last pressed switch, while its change is being saved. */
  readonly pending: PartSwitch | undefined;
  readonly onSwitch: (change: PartSwitch) => void;
}

/** A switch for each part of an installed package. It's off if the package's filters exclude the part. */
const PackageParts = ({ entry, source, pending, onSwitch }: PartsProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const { index } = entry;
  const kinds = PACKAGE_RESOURCES.map((kind) => ({
    kind,
    parts: (entry.adds?.[kind] ?? []).filter((part) => canFilter(entry, kind, part)),
  })).filter(({ parts }) => parts.length > 0);
  if (kinds.length === 0) return null;
  return (
    <details className="pt-0.5 text-sm" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer rounded text-muted">{words.choose}</summary>
      {isOpen && (
        <div className="flex flex-col gap-2 pt-1.5">
          {kinds.map(({ kind, parts }) => (
            <fieldset key={kind} aria-label={words.kindOf(words.kinds[kind], source)} className="min-w-0">
              <p className="pb-0.5 text-muted">{words.kinds[kind]}</p>
              {parts.map(({ path, isOff }) => {
                const isPressed = pending?.index === index && pending.kind === kind && pending.path === path;
                return (
                  <div key={path} className="flex items-center gap-2.5 py-1">
                    <Switch
                      label={words.switchLabel(path)}
                      checked={isPressed ? pending.isOn : !isOff}
                      onCheckedChange={(isOn) => onSwitch({ index, source, kind, path, isOn })}
                    />
                    <span className="min-w-0 font-mono wrap-anywhere">{path}</span>
                  </div>
                );
              })}
            </fieldset>
          ))}
        </div>
      )}
    </details>
  );
};

interface PackageRowProps extends Pick<PartsProps, 'entry' | 'pending' | 'onSwitch'> {
  readonly agent: AgentSummary;
  readonly onRemove: () => void;
}

/** One package: its source, its installed copy, what it adds, and how to install it. */
const PackageRow = ({ agent: { path }, entry, pending, onSwitch, onRemove }: PackageRowProps) => {
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
        {source !== null && (
          <PackageParts entry={entry} source={source} pending={pending} onSwitch={onSwitch} />
        )}
        {!installed && Object.keys(filters).length > 0 && (
          <code className="text-sm text-muted wrap-anywhere">{JSON.stringify(filters)}</code>
        )}
        {problem !== undefined && <Problem>{problem}</Problem>}
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
  const field = useRef<HTMLInputElement>(null);
  const [isAsking, setIsAsking] = useState(false);
  const { mutate, isPending, variables } = useChangePackage(id);
  const pending = isPending && variables && 'switch' in variables ? variables.switch : undefined;
  if (!state) return null;
  const addSource = (added: string): void =>
    mutate(
      { add: added },
      {
        onSuccess: () => {
          setSource('');
          setIsAsking(false);
          field.current?.focus();
        },
        onError: (error) => setProblem(error.message),
      },
    );
  const add = (event: FormEvent): void => {
    event.preventDefault();
    if (possibleSources(source).length > 0) setIsAsking(true);
    else if (source.trim() !== '') addSource(source.trim());
  };
  const about = `packages of ${id}`;
  const remove = (entry: AgentPackage): void =>
    mutate(
      { remove: entry },
      {
        onError: (error) => reportFailure(words.failed(entry.source ?? words.noSource), error, { about }),
      },
    );
  const switchPart = (change: PartSwitch): void =>
    mutate(
      { switch: change },
      {
        onError: (error) => reportFailure(words.switchFailed(change.path, change.isOn), error, { about }),
      },
    );
  return (
    <section ref={list} tabIndex={-1} aria-label={words.label(id)} className="flex flex-col outline-none">
      <h2 className="pb-1 font-semibold">{words.heading}</h2>
      <p className="pb-2.5 text-sm text-muted">{words.hint}</p>
      {state.problem !== undefined && <Problem>{state.problem}</Problem>}
      <ul>
        {state.packages.map((entry) => (
          <PackageRow
            key={`${entry.index} ${entry.source}`}
            agent={agent}
            entry={entry}
            pending={pending}
            onSwitch={switchPart}
            onRemove={() => remove(entry)}
          />
        ))}
      </ul>
      <form onSubmit={add} className="flex flex-col gap-2 border-t border-line py-2.5">
        <TextField
          ref={field}
          label={words.source}
          value={source}
          onValueChange={(text) => {
            setSource(text);
            setProblem(undefined);
            setIsAsking(false);
          }}
          hint={words.sourceHint}
          error={problem}
        />
        <span>
          <Button type="submit" disabled={isPending || source.trim() === ''}>
            {words.add}
          </Button>
        </span>
        {isAsking && (
          <fieldset className="flex flex-wrap items-center gap-2">
            <legend className="pb-1.5 wrap-anywhere">{words.which(source.trim())}</legend>
            {possibleSources(source).map((each) => (
              <Button key={each} disabled={isPending} onClick={() => addSource(each)}>
                {words.meaning[parsePackageSource(each).kind]}
                <code className="font-mono text-muted wrap-anywhere">{each}</code>
              </Button>
            ))}
          </fieldset>
        )}
      </form>
    </section>
  );
};
