import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { Blocks, Bot, FileText, Sparkles } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AgentListEntry, AgentSummary } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES } from '../../../../shared/api/names.ts';
import { agentListQuery, summaryQuery } from '../../api/queries.ts';
import { paths } from '../../routes.ts';
import { quickOpen } from '../../strings/palette.ts';
import { PickerDialog } from './picker-dialog.tsx';
import { type KnownFiles, type QuickTarget, quickOwners, quickTargets } from './quick-targets.ts';

/** The list of agents lacks their optional files, so they are read for this many of the best matches. */
const ASKED = 3;

const toKnownFiles = (results: readonly Pick<UseQueryResult<AgentSummary>, 'data'>[]): KnownFiles => {
  const byId = new Map(results.map(({ data }) => [data?.id, data]));
  return (id) => EDITABLE_FILES.filter((file) => byId.get(id)?.files[file].exists);
};

/** Reads the files of the first agents. An unread agent has no known files. The same until that changes. */
const useKnownFiles = (ids: readonly string[]): KnownFiles =>
  useQueries({ queries: ids.slice(0, ASKED).map(summaryQuery), combine: toKnownFiles });

const NONE: readonly AgentListEntry[] = [];

/** The agents from the last read. Empty before the first one. */
const useAgentList = (): {
  readonly agents: readonly AgentListEntry[];
  readonly isLoading: boolean;
} => {
  const { data, isPending } = useQuery(agentListQuery());
  return { agents: data ?? NONE, isLoading: isPending };
};

interface QuickOpenProps {
  readonly open: boolean;
  readonly openedId: string | null;
  readonly onClose: () => void;
  /** Called with the path of the picked target, or null. */
  readonly onClosed: (path: string | null) => void;
}

const ICONS = { files: FileText, extensions: Blocks, skills: Sparkles } as const;

/** Jumps to an agent, or to one of its files or sections. */
export const QuickOpen = ({ open, openedId, onClose, onClosed }: QuickOpenProps) => {
  const [query, setQuery] = useState('');
  const { agents, isLoading } = useAgentList();
  const ownerIds = useMemo(
    () => (open ? quickOwners(agents, query, openedId).map(({ id }) => id) : []),
    [open, agents, query, openedId],
  );
  const knownFiles = useKnownFiles(ownerIds);
  // Not deferred, because Enter right after the last letter must open the match of the whole query.
  const groups = useMemo(() => {
    const items = quickTargets(agents, query, openedId, knownFiles);
    return items.length === 0 ? [] : [{ value: '', items }];
  }, [agents, query, openedId, knownFiles]);
  return (
    <PickerDialog<QuickTarget>
      open={open}
      onClose={onClose}
      onClosed={(target) => onClosed(target && paths.agent(target.id, target.section))}
      label={quickOpen.label}
      placeholder={quickOpen.search}
      hint={quickOpen.hint}
      none={isLoading ? quickOpen.loading : quickOpen.none}
      query={query}
      onQueryChange={setQuery}
      groups={groups}
      keyOf={({ id, label }) => `${id}/${label ?? ''}`}
      show={(target) => <Target target={target} />}
    />
  );
};

const Target = ({ target: { id, section, label } }: { readonly target: QuickTarget }) => {
  const Icon = section ? ICONS[section.kind] : Bot;
  return (
    <>
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" strokeWidth={1.75} />
      <span className="flex min-w-0 flex-1">
        <span className="truncate" title={id}>
          {id}
        </span>
        {label && <span className="shrink-0 text-muted">&thinsp;/&thinsp;{label}</span>}
      </span>
    </>
  );
};
