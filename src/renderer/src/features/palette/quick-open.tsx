import { Blocks, Bot, FileText, Sparkles } from 'lucide-react';
import { useMemo, useState } from 'react';
import { paths } from '../../routes.ts';
import { quickOpen } from '../../strings/palette.ts';
import { PickerDialog } from './picker-dialog.tsx';
import { type QuickTarget, quickOwners, quickTargets } from './quick-targets.ts';
import { useAgentList } from './use-agent-list.ts';
import { useKnownFiles } from './use-known-files.ts';

interface QuickOpenProps {
  readonly open: boolean;
  readonly openedId: string | null;
  readonly onClose: () => void;
  /** The path of what was picked. */
  readonly onClosed: (path: string | null) => void;
}

const ICONS = { files: FileText, extensions: Blocks, skills: Sparkles } as const;

/** Jumps to an agent, a file or a section of one. */
export const QuickOpen = ({ open, openedId, onClose, onClosed }: QuickOpenProps) => {
  const [query, setQuery] = useState('');
  const { agents, isLoading } = useAgentList();
  const ownerIds = useMemo(
    () => (open ? quickOwners(agents, query, openedId).map(({ id }) => id) : []),
    [open, agents, query, openedId],
  );
  const knownFiles = useKnownFiles(ownerIds);
  // Not deferred: Enter right after the last letter must open what was typed, not what the list showed before.
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
