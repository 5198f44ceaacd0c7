import { ArrowLeft, Copy, Ellipsis, Play } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { StatusMark, useStatuses } from '../../agent/agent-status.tsx';
import { hasShownTerminal } from '../../agent/bring-terminal.ts';
import { ShowTerminal } from '../../agent/show-terminal.tsx';
import { type AgentSection, paths } from '../../routes.ts';
import { useAction } from '../../shell/intents.ts';
import { deleteAgentWords, duplicateAgentWords, agents as words } from '../../strings/agents.ts';
import { budgets as budgetWords } from '../../strings/budgets.ts';
import { tools as toolWords } from '../../strings/shell.ts';
import { status as statusWords } from '../../strings/status.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { Hint } from '../../ui/hint.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Menu, MenuItem, MenuSeparator, MenuTrigger } from '../../ui/menu.tsx';
import { PAGE_TITLE } from '../../ui/page.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { AgentChips } from './agent-chips.tsx';
import { type AgentTool, agentTools } from './agent-tools.ts';
import { Readiness } from './readiness.tsx';

interface AgentActionsProps {
  readonly id: string;
  /** The tools that have no separate button. */
  readonly tools: readonly AgentTool[];
  readonly onBudget: () => void;
  readonly onDuplicate: () => void;
  readonly onDelete: () => void;
}

/** The menu of an agent's other actions: open it elsewhere, set its budget, duplicate it or delete it. */
const AgentActions = ({ id, tools, onBudget, onDuplicate, onDelete }: AgentActionsProps) => (
  <Menu
    className="min-w-48"
    trigger={
      <Tooltip label={toolWords.more(id)}>
        <MenuTrigger aria-label={toolWords.more(id)} className={cx(buttonClass('quiet', 'icon'), 'mt-0.75')}>
          <Ellipsis aria-hidden="true" className="size-4" />
        </MenuTrigger>
      </Tooltip>
    }
  >
    {tools.map((tool) => (
      <MenuItem key={tool.id} onClick={() => void tool.run()}>
        {tool.label}
      </MenuItem>
    ))}
    <MenuSeparator />
    <MenuItem onClick={onBudget}>{budgetWords.open}</MenuItem>
    <MenuItem onClick={onDuplicate}>{duplicateAgentWords.open}</MenuItem>
    <MenuItem className="text-danger" onClick={onDelete}>
      {deleteAgentWords.open}
    </MenuItem>
  </Menu>
);

const BudgetDialog = lazyView(async () => (await import('./budget-dialog.tsx')).BudgetDialog);
const DeleteAgentDialog = lazyView(async () => (await import('./delete-agent-dialog.tsx')).DeleteAgentDialog);
const DuplicateAgentDialog = lazyView(
  async () => (await import('./duplicate-agent-dialog.tsx')).DuplicateAgentDialog,
);

interface AgentHeaderProps {
  readonly agent: AgentSummary;
  readonly section: AgentSection;
}

/** An agent's name, facts and actions. A narrow window hides the buttons' text, but never the name. */
export const AgentHeader = ({ agent, section }: AgentHeaderProps) => {
  const [, navigate] = useLocation();
  const status = useStatuses().get(agent.id);
  const [deleting, setDeleting] = useState<boolean>();
  const [budgeting, setBudgeting] = useState<boolean>();
  const [duplicating, setDuplicating] = useState<boolean>();
  useAction('duplicate-agent', () => setDuplicating(true), agent.id);
  useAction('set-budget', () => setBudgeting(true), agent.id);
  useAction('delete-agent', () => setDeleting(true), agent.id);
  const file = section.kind === 'files' && agent.files[section.file].exists ? section.file : null;
  const tools = agentTools(agent, file);
  const run = tools.find(({ id }) => id === 'run-in-terminal');
  const copy = tools.find(({ id }) => id === 'copy-run-command');
  return (
    <header className="@container flex flex-col gap-1.5 px-4 pt-3 pb-1">
      <div className="flex items-start gap-2">
        <Link
          href={paths.agents}
          aria-label={words.all}
          className="mt-0.5 rounded p-1 text-muted hover:bg-hover hover:text-ink single:hidden"
        >
          <ArrowLeft aria-hidden="true" className="size-4" />
        </Link>
        <span className="mr-1 @max-xs:hidden low:hidden">
          <Avatar id={agent.id} size="large" />
        </span>
        <div className="min-w-24 flex-1">
          <div className="flex flex-wrap items-baseline gap-x-2.5">
            <h1 className={PAGE_TITLE}>{agent.id}</h1>
            {status && <StatusMark status={status} />}
            {status?.state === 'waiting' && !hasShownTerminal(status) && (
              <span className="text-sm text-muted">{statusWords.answerThere}</span>
            )}
            <ShowTerminal status={status} />
          </div>
          <div className="flex items-center gap-1 text-muted">
            <Hint label={agent.path} className="min-w-0 truncate font-mono text-sm">
              {agent.path}
            </Hint>
            <CopyButton label={words.copyPath} text={agent.path} />
          </div>
        </div>
        <Readiness id={agent.id} />
        {run && <ToolButton tool={run} variant="primary" icon={Play} text={toolWords.run} />}
        {copy && (
          <ToolButton
            tool={copy}
            variant={run ? 'quiet' : 'primary'}
            icon={Copy}
            text={run ? toolWords.copyCommand : copy.label}
          />
        )}
        <AgentActions
          id={agent.id}
          tools={tools.filter((tool) => tool !== run && tool !== copy)}
          onBudget={() => setBudgeting(true)}
          onDuplicate={() => setDuplicating(true)}
          onDelete={() => setDeleting(true)}
        />
      </div>
      <AgentChips agent={agent} onBudget={() => setBudgeting(true)} />
      {budgeting !== undefined && <BudgetDialog id={agent.id} open={budgeting} onOpenChange={setBudgeting} />}
      {duplicating !== undefined && (
        <DuplicateAgentDialog
          id={agent.id}
          open={duplicating}
          onOpenChange={setDuplicating}
          onDuplicated={(name) => navigate(paths.agent(name))}
        />
      )}
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

interface ToolButtonProps {
  readonly tool: AgentTool;
  readonly variant: 'primary' | 'quiet';
  readonly icon: typeof Play;
  /** The part of the tool's label that is shown if there's room. */
  readonly text: string;
}

const ToolButton = ({ tool, variant, icon: Icon, text }: ToolButtonProps) => (
  <Tooltip label={tool.label}>
    <Button variant={variant} aria-label={tool.label} onClick={() => void tool.run()}>
      <Icon aria-hidden="true" className="size-3.5" />
      <span className="@max-md:hidden">{text}</span>
    </Button>
  </Tooltip>
);
