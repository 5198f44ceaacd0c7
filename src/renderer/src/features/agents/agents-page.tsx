import { MousePointerClick } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { isOptionalFile } from '../../../../shared/api/names.ts';
import { useUnsaved } from '../../drafts/unsaved.ts';
import { type AgentSection, agentOf, parsePath, paths } from '../../routes.ts';
import { editFile, reportCreated, useAction } from '../../shell/intents.ts';
import { newAgent as newAgentWords, agents as words } from '../../strings/agents.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { AgentsArt } from '../../ui/illustrations.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Loading } from '../../ui/loading.tsx';
import { AgentsSidebar } from './agents-sidebar.tsx';
import { HiddenFolders } from './hidden-folders.tsx';
import { EMPTY_AGENT, type TypedAgent, useAgents } from './use-agents.ts';

const NewAgentDialog = lazyView(async () => (await import('./new-agent-dialog.tsx')).NewAgentDialog);

interface AgentsPageProps {
  readonly opened: { readonly id: string; readonly section: AgentSection } | null;
  /** The opened agent. */
  readonly children?: ReactNode;
}

/** The list of agents, next to the opened agent. */
export const AgentsPage = ({ opened, children }: AgentsPageProps) => {
  const state = useAgents();
  const [path, navigate] = useLocation();
  const [typed, setTyped] = useUnsaved<TypedAgent>('agents/new');
  const [creating, setCreating] = useState(typed ? true : undefined);
  const openNew = (): void => setCreating(true);
  useAction('new-agent', openNew);

  // If the list can't be loaded, neither can an agent. Show the error once, not per column. Drafts are kept.
  if (state.status === 'error') return <ErrorState level={1} error={state.error} onRetry={state.retry} />;

  const list = (
    <section
      aria-label={words.heading}
      className={cx(
        'flex min-h-0 w-full shrink-0 flex-col border-line single:w-54 single:border-r icons:w-60 wide:w-68',
        opened && 'max-single:hidden',
      )}
    >
      {state.status === 'loading' && <Loading />}
      {state.status === 'ready' && (
        <AgentsSidebar
          agents={state.agents}
          // Select the agent at once, before its page is drawn.
          openedId={agentOf(parsePath(path)) ?? opened?.id ?? null}
          pathOf={(id) => paths.agent(id, sameSection(opened?.section))}
          onNew={openNew}
        />
      )}
    </section>
  );

  const isEmpty = state.status === 'ready' && state.agents.length === 0 && !opened;
  return (
    <div className="flex h-full min-h-0">
      {!isEmpty && list}
      <div className={cx('min-w-0 flex-1', !opened && !isEmpty && 'max-single:hidden')}>
        {children}
        {!opened && !isEmpty && state.status === 'ready' && (
          <EmptyState icon={MousePointerClick} title={words.pick} hint={words.pickHint} />
        )}
        {isEmpty && (
          <EmptyState
            level={1}
            art={<AgentsArt />}
            title={words.none}
            hint={
              <>
                <p>{words.noneHint}</p>
                <HiddenFolders />
              </>
            }
          >
            <Button variant="primary" onClick={openNew}>
              {newAgentWords.open}
            </Button>
          </EmptyState>
        )}
      </div>
      {creating !== undefined && (
        <NewAgentDialog
          open={creating}
          onOpenChange={(isOpen) => {
            setCreating(isOpen);
            if (!isOpen) setTyped(null);
          }}
          agent={typed ?? EMPTY_AGENT}
          onType={setTyped}
          onCreated={(id) => {
            reportCreated(id);
            editFile(id, 'SYSTEM.md', navigate);
          }}
        />
      )}
    </div>
  );
};

/** Returns the section to open the next agent in: the current one, unless that agent may lack the section's file. */
const sameSection = (section: AgentSection | undefined): AgentSection | undefined =>
  section?.kind === 'files' && isOptionalFile(section.file) ? undefined : section;
