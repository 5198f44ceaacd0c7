import { useQuery } from '@tanstack/react-query';
import { ArrowLeft, Copy, Trash2 } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { summaryQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { useAction } from '../../commands/requested-action.ts';
import { DEFAULT_SECTION, paths, type Section } from '../../routes.ts';
import { strings } from '../../strings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { AgentActions } from './agent-actions.tsx';
import { AgentMissing } from './agent-missing.tsx';

/** The result of reading an agent. Once read, it stays on the screen while the API is offline. */
type AgentStatus =
  | Unread
  | { readonly status: 'missing' }
  | { readonly status: 'ready'; readonly agent: AgentSummary };

/** Reads the summary of an agent. */
const useAgent = (id: string): AgentStatus => {
  const read = readStatus(useQuery(summaryQuery(id)));
  if (read.status === 'ready') return { status: 'ready', agent: read.data };
  const code = read.status === 'error' && read.error.code;
  return code === 'agent_not_found' || code === 'invalid_agent_id' ? { status: 'missing' } : read;
};

const DeleteAgentDialog = lazyView(async () => (await import('./delete-agent-dialog.tsx')).DeleteAgentDialog);

interface AgentPageProps {
  readonly id: string;
  readonly section: Section;
  /** Renders the open section. */
  readonly children: (agent: AgentSummary) => ReactNode;
}

/** One agent's page: its name, its sections and the open section. */
export const AgentPage = ({ id, section, children }: AgentPageProps) => {
  const state = useAgent(id);
  useTitle(id);
  switch (state.status) {
    case 'loading':
      return <Loading />;
    case 'missing':
      return <AgentMissing id={id} />;
    case 'error':
      return <ErrorState error={state.error} onRetry={state.retry} />;
    case 'ready':
      return (
        <div className="flex h-full min-h-0 flex-col">
          <AgentHeader agent={state.agent} section={section} />
          <SectionNav id={id} section={section} />
          <div className="min-h-0 flex-1 overflow-auto">{children(state.agent)}</div>
        </div>
      );
  }
};

const AgentHeader = ({ agent, section }: { readonly agent: AgentSummary; readonly section: Section }) => {
  const [, navigate] = useLocation();
  const [deleting, setDeleting] = useState<boolean>();
  const words = strings.deleteAgent;
  return (
    <header className="flex items-start gap-3 px-4 pt-3">
      <Link
        href={paths.agents}
        aria-label={strings.agents.all}
        className="mt-0.5 rounded p-1 text-muted hover:bg-hover hover:text-ink single:hidden"
      >
        <ArrowLeft aria-hidden="true" className="size-4" />
      </Link>
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <h2 className="truncate text-lg font-semibold" title={agent.id}>
            {agent.id}
          </h2>
          {agent.workspace && <Badge>{strings.agents.workspace}</Badge>}
        </div>
        <div className="flex items-center gap-1 text-muted">
          <span className="truncate font-mono text-sm" title={agent.path}>
            {agent.path}
          </span>
          <CopyButton label={strings.agents.copyPath} text={agent.path} />
        </div>
      </div>
      <DuplicateAgent id={agent.id} onDuplicated={(name) => navigate(paths.agent(name))} />
      <Button
        variant="quiet"
        size="small"
        aria-label={words.openLabel(agent.id)}
        onClick={() => setDeleting(true)}
      >
        <Trash2 aria-hidden="true" className="size-3.5" />
        {words.open}
      </Button>
      <AgentActions agent={agent} section={section} />
      {deleting !== undefined && (
        <DeleteAgentDialog
          id={agent.id}
          open={deleting}
          onOpenChange={setDeleting}
          onDeleted={(next) => navigate(next === null ? paths.agents : paths.agent(next))}
        />
      )}
    </header>
  );
};

const SectionNav = ({ id, section }: { readonly id: string; readonly section: Section }) => {
  // Returning to the files reopens the last open file.
  const lastFile = useRef<Section>(DEFAULT_SECTION);
  if (section.kind === 'files') lastFile.current = section;
  const sections: readonly Section[] = [lastFile.current, { kind: 'extensions' }, { kind: 'skills' }];
  return (
    <nav
      aria-label={strings.agents.sections(id)}
      className="flex gap-1 border-b border-line px-3 pt-1.5 pb-2"
    >
      {sections.map((target) => {
        const isOpen = target.kind === section.kind;
        return (
          <Link
            key={target.kind}
            href={paths.agent(id, target)}
            aria-current={isOpen ? 'page' : undefined}
            className={cx(
              'rounded-md px-2.5 py-1',
              isOpen ? 'bg-selected font-medium' : 'text-muted hover:bg-hover hover:text-ink',
            )}
          >
            {strings.agents.section[target.kind]}
          </Link>
        );
      })}
    </nav>
  );
};

const DuplicateAgentDialog = lazyView(
  async () => (await import('./duplicate-agent-dialog.tsx')).DuplicateAgentDialog,
);

/** The button that duplicates an agent, and its dialog once opened. */
const DuplicateAgent = ({
  id,
  onDuplicated,
}: {
  readonly id: string;
  readonly onDuplicated: (name: string) => void;
}) => {
  const [open, setOpen] = useState<boolean>();
  useAction('duplicate-agent', () => setOpen(true), id);
  const words = strings.duplicateAgent;
  return (
    <>
      <Button variant="quiet" size="small" aria-label={words.openLabel(id)} onClick={() => setOpen(true)}>
        <Copy aria-hidden="true" className="size-3.5" />
        {words.open}
      </Button>
      {open !== undefined && (
        <DuplicateAgentDialog id={id} open={open} onOpenChange={setOpen} onDuplicated={onDuplicated} />
      )}
    </>
  );
};
