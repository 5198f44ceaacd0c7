import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'wouter';
import { serverRemoval, serverSwitch } from '../../../../pi/mcp-edits.ts';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { ShownValue } from '../../../../shared/api/form-files.ts';
import type { JsonFile } from '../../../../shared/api/json-files.ts';
import type { AgentMcp, McpDefinition, McpServerEntry } from '../../../../shared/api/mcp.ts';
import { FileActions } from '../../agent/file-actions.tsx';
import { mcpOverviewQuery } from '../../api/agent-queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { EntryDialog } from '../../json-form/entry-dialog.tsx';
import { useJsonFile } from '../../json-form/use-json-file.ts';
import { paths } from '../../routes.ts';
import { toMatrixState } from '../../shell/intents.ts';
import { mcp as words } from '../../strings/mcp.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { LinkArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Problem } from '../../ui/failures.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { MCP_SERVER } from './server-kind.ts';
import { signInCommand, useChangeMcp, useMcp, useMcpTokens } from './use-mcp.ts';

const textOf = (value: ShownValue): string =>
  typeof value === 'string' ? value : [value.shown ?? '', words.hidden].filter(Boolean).join('/');

/** Returns the command or address pi would use, on one line. */
const targetOf = ({ transport, command, args = [], url }: McpServerEntry): string => {
  const parts = transport === 'http' ? [url] : [command, ...args];
  return parts.flatMap((part) => (part === undefined ? [] : [textOf(part)])).join(' ');
};

/** How many agents a row names. The matrix shows the others. */
const MOST_NAMED = 3;

/** The other agents that have a server. */
const AlsoIn = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const overview = lastRead(useQuery(mcpOverviewQuery()));
  const definitions = overview?.servers.find((server) => server.name === name)?.definitions ?? [];
  const usersOf = ({ on, off, refused }: McpDefinition): string[] => [...on, ...off, ...refused];
  const others = definitions
    .flatMap(usersOf)
    .filter((one) => one !== id)
    .sort();
  if (others.length === 0) return null;
  const own = definitions.find((definition) => usersOf(definition).includes(id));
  const differing = definitions.flatMap((one) => (one === own ? [] : usersOf(one))).length;
  const off = definitions.flatMap((one) => one.off).filter((one) => one !== id).length;
  const named = others.length > MOST_NAMED + 1 ? others.slice(0, MOST_NAMED) : others;
  const notes = [off > 0 ? words.offIn(off) : '', differing > 0 ? words.differing(differing) : ''].filter(
    Boolean,
  );
  return (
    <p className="flex flex-wrap gap-x-1.5 text-sm text-muted">
      <span>{words.alsoIn}</span>
      {named.map((other, index) => (
        <span key={other}>
          <Link href={paths.agent(other, { kind: 'mcp' })} className="text-accent hover:underline">
            {other}
          </Link>
          {index < others.length - 1 && ','}
        </span>
      ))}
      {others.length > named.length && (
        <Link
          href={paths.matrix('mcp')}
          state={toMatrixState([id, ...others])}
          className="text-accent hover:underline"
        >
          {words.others(others.length - named.length)}
        </Link>
      )}
      {notes.length > 0 && <span>({notes.join(', ')})</span>}
    </p>
  );
};

interface ServerRowProps {
  readonly agent: AgentSummary;
  readonly entry: McpServerEntry;
  readonly hasSignIns: boolean;
  readonly tokens: { readonly tokens: number; readonly complete: boolean } | undefined;
  readonly onEdit: () => void;
  readonly onSwitch: (isOn: boolean) => void;
  readonly onRemove: () => void;
}

/** One server: a switch, its description, its problem, and what it adds to the prompt. */
const ServerRow = ({ agent, entry, hasSignIns, tokens, onEdit, onSwitch, onRemove }: ServerRowProps) => {
  const { name, enabled, problem, description, otherKeys } = entry;
  const command = entry.signsIn && enabled && !problem ? signInCommand(agent, name) : undefined;
  return (
    <li data-details-row className="flex flex-wrap items-start gap-x-3 gap-y-2 px-6 py-2.5 max-icons:px-4">
      <span className="pt-0.5">
        <Switch label={words.switchLabel(name)} checked={enabled} onCheckedChange={onSwitch} />
      </span>
      <div className="flex min-w-40 flex-1 flex-col gap-0.5">
        <span className={cx('font-medium break-words', !enabled && 'text-muted')}>{name}</span>
        <span data-details="" className="truncate font-mono text-sm text-muted">
          {targetOf(entry)}
        </span>
        {description !== undefined && (
          <p data-details="" className="line-clamp-2 text-sm">
            {textOf(description)}
          </p>
        )}
        {problem && <Problem>{problem}</Problem>}
        {otherKeys.length > 0 && <p className="text-sm text-muted">{words.otherKeys(otherKeys)}</p>}
        <AlsoIn id={agent.id} name={name} />
        {command !== undefined && (
          <p className="flex min-w-0 flex-wrap items-center gap-x-1 text-sm text-muted">
            <span>{hasSignIns ? words.signInAgain : words.signIn}</span>
            <code data-details="" className="min-w-0 truncate">{`pi mcp login ${name}`}</code>
            <CopyButton label={words.copySignIn(name)} text={command} />
          </p>
        )}
      </div>
      <div className="flex items-center gap-2">
        <span
          data-details={tokens?.complete === false ? words.moreTokens : undefined}
          className="text-sm text-muted tabular-nums max-icons:order-last"
        >
          {tokens && words.tokens(tokens.tokens, tokens.complete)}
        </span>
        <Button
          size="small"
          data-shows-row
          data-row-action="edit"
          aria-label={words.editLabel(name)}
          onClick={onEdit}
        >
          {words.edit}
        </Button>
        <Button size="small" data-row-action="remove" aria-label={words.removeLabel(name)} onClick={onRemove}>
          {words.remove}
        </Button>
      </div>
    </li>
  );
};

interface ServerListProps {
  readonly agent: AgentSummary;
  readonly mcp: AgentMcp;
  readonly onEdit: (entry: McpServerEntry) => void;
  readonly onAdd: () => void;
}

const ServerList = ({ agent, mcp, onEdit, onAdd }: ServerListProps) => {
  const list = useRef<HTMLDivElement>(null);
  useFocusAfterRemoval(list);
  const tokens = useMcpTokens(agent.id);
  const { mutate } = useChangeMcp(agent.id);
  const isEmpty = mcp.servers.length === 0;
  return (
    <div ref={list} tabIndex={-1} className="flex min-h-full flex-col outline-none">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-6 pt-4 pb-2 max-icons:px-4">
        <h2 className="font-semibold">{words.heading}</h2>
        <span className="text-sm text-muted">
          {tokens !== undefined && tokens.total > 0 && words.total(tokens.total)}
        </span>
        <span className="ml-auto flex min-h-6 flex-wrap gap-2">
          {mcp.exists && <FileActions agent={agent} name="mcp.json" />}
          {!mcp.problem && !isEmpty && (
            <Button size="small" data-row-action="add" onClick={onAdd}>
              <Plus aria-hidden="true" className="size-3.5" />
              {words.add}
            </Button>
          )}
        </span>
      </div>
      {mcp.problem && <Notice tone="danger" title={mcp.problem} />}
      {isEmpty && !mcp.problem && (
        <div className="flex-1">
          <EmptyState level={3} art={<LinkArt />} title={words.none} hint={words.noneHint}>
            <Button variant="primary" data-row-action="add" onClick={onAdd}>
              {words.add}
            </Button>
          </EmptyState>
        </div>
      )}
      <ul aria-label={words.label(agent.id)} className="divide-y divide-line">
        {mcp.servers.map((entry) => (
          <ServerRow
            key={entry.name}
            agent={agent}
            entry={entry}
            hasSignIns={mcp.hasSignIns}
            tokens={tokens?.servers.get(entry.name)}
            onEdit={() => onEdit(entry)}
            onSwitch={(isOn) =>
              mutate({
                name: entry.name,
                edits: [serverSwitch(entry.name, isOn)],
                done: words.switched(entry.name, isOn),
              })
            }
            onRemove={() =>
              mutate({
                name: entry.name,
                edits: [serverRemoval(entry.name)],
                done: words.removed(entry.name),
              })
            }
          />
        ))}
      </ul>
    </div>
  );
};

/** An agent's MCP servers. */
export const McpSection = ({ agent }: { readonly agent: AgentSummary }) => {
  const state = useMcp(agent.id);
  const json = useJsonFile(agent.id, 'mcp.json');
  const [edited, setEdited] = useState<{ readonly name: string | null; readonly file: JsonFile }>();
  const [isOpen, setIsOpen] = useState(false);
  if (state.status === 'loading' || json.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  if (json.status === 'error') return <ErrorState error={json.error} onRetry={json.retry} />;
  const open = (name: string | null): void => {
    setEdited({ name, file: json.data });
    setIsOpen(true);
  };
  return (
    <>
      <ServerList agent={agent} mcp={state.data} onEdit={({ name }) => open(name)} onAdd={() => open(null)} />
      <EntryDialog
        id={agent.id}
        kind={MCP_SERVER}
        name={edited?.name ?? null}
        file={edited?.file ?? json.data}
        taken={state.data.servers.map(({ name }) => name)}
        title={edited?.name == null ? words.dialog.addTitle : words.dialog.editTitle(edited.name)}
        open={isOpen}
        onOpenChange={setIsOpen}
      />
    </>
  );
};
