import { useQuery } from '@tanstack/react-query';
import { FileWarning, FolderOpen, Link2Off, type LucideIcon, PiggyBank, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { AgentBudget } from '../../../../shared/api/budgets.ts';
import { agentListQuery, budgetsQuery, fileQuery, profilesQuery } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { usedPercent, WARN_AT_PERCENT } from '../../attention.ts';
import { budgets as budgetWords } from '../../strings/budgets.ts';
import { strings } from '../../strings.ts';
import { cx } from '../../ui/cx.ts';
import { Hint } from '../../ui/hint.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { CostChip } from './cost-chip.tsx';
import { piFactsIn } from './pi-facts.ts';
import { useLinkCounts } from './use-link-counts.ts';

const words = strings.agents;

/** How many tools a chip names. Its title names all of them. */
const TOOLS_SHOWN = 4;

interface AgentChipsProps {
  readonly agent: AgentSummary;
  readonly onBudget: () => void;
}

/** What is known about an agent, in one line: its model, its tools, its budget, its workspace and its problems. */
export const AgentChips = ({ agent, onBudget }: AgentChipsProps) => {
  const piArgs = lastRead(
    useQuery({ ...fileQuery(agent.id, 'pi-args'), enabled: agent.files['pi-args'].exists }),
  );
  const { model: argsModel, tools } = piFactsIn(piArgs?.content ?? '');
  // AGENT.md or settings.json can name it too.
  const profile = useQuery(profilesQuery()).data?.find(({ id }) => id === agent.id);
  const model = argsModel ?? profile?.model?.name;
  const budget = useQuery(budgetsQuery()).data?.get(agent.id);
  const links = useLinkCounts().get(agent.id);
  const broken = links?.brokenLinks ?? 0;
  const listed = useQuery(agentListQuery()).data?.find(({ id }) => id === agent.id);
  const missing = listed?.missingFiles;
  const problem = listed?.problem ?? links?.problem;
  return (
    <ul aria-label={words.facts(agent.id)} className="flex flex-wrap gap-1.5 empty:hidden">
      {model && <Chip name={words.model}>{model}</Chip>}
      {tools && (
        <Chip name={words.tools} hint={tools.length > TOOLS_SHOWN ? tools.join(', ') : undefined}>
          {tools.length === 0
            ? words.noTools
            : tools.length > TOOLS_SHOWN
              ? words.moreTools(tools.slice(0, TOOLS_SHOWN), tools.length - TOOLS_SHOWN)
              : tools.join(', ')}
        </Chip>
      )}
      <CostChip id={agent.id} />
      {budget && <BudgetChip budget={budget} onOpen={onBudget} />}
      {agent.workspace && <Chip icon={FolderOpen}>{words.workspace}</Chip>}
      {problem && (
        <Chip icon={TriangleAlert} tone="danger">
          {problem.message}
        </Chip>
      )}
      {missing && (
        <Chip icon={FileWarning} tone="danger">
          {words.missing(missing)}
        </Chip>
      )}
      {broken > 0 && (
        <Chip icon={Link2Off} tone="warn">
          {words.brokenLinks(broken)}
        </Chip>
      )}
    </ul>
  );
};

/** How much of its budget an agent has used. A press shows all limits. */
const BudgetChip = ({ budget, onOpen }: { readonly budget: AgentBudget; readonly onOpen: () => void }) => {
  const percent = usedPercent(budget);
  const tone = budget.exceeded ? 'danger' : percent >= WARN_AT_PERCENT ? 'warn' : 'neutral';
  return (
    <li className="flex min-w-0">
      <Tooltip label={budget.limits.map(budgetWords.limit).join('\n')}>
        <button
          type="button"
          onClick={onOpen}
          className={cx('flex min-w-0 items-center gap-1 rounded-full px-2 py-0.5 text-xs', TONES[tone])}
        >
          <PiggyBank aria-hidden="true" className="size-3 shrink-0" />
          {budget.exceeded ? budgetWords.exceeded : budgetWords.chip(percent)}
        </button>
      </Tooltip>
    </li>
  );
};

const TONES = {
  neutral: 'bg-hover text-ink',
  warn: 'bg-warn-soft text-warn ring-1 ring-warn-line ring-inset',
  danger: 'bg-danger-soft text-danger ring-1 ring-danger-line ring-inset',
} as const;

const Chip = ({
  icon: Icon,
  name,
  hint,
  tone = 'neutral',
  children,
}: {
  readonly icon?: LucideIcon;
  /** What the value is, in front of it. */
  readonly name?: string;
  /** More about the value. */
  readonly hint?: string | undefined;
  readonly tone?: keyof typeof TONES;
  readonly children: ReactNode;
}) => (
  <li className={cx('flex min-w-0 items-center gap-1 rounded-full px-2 py-0.5 text-xs', TONES[tone])}>
    {Icon && <Icon aria-hidden="true" className="size-3 shrink-0" />}
    {name && <span className="text-muted">{name}</span>}
    {hint === undefined ? (
      <span className="min-w-0 wrap-anywhere">{children}</span>
    ) : (
      <Hint label={hint} className="min-w-0 text-left wrap-anywhere">
        {children}
      </Hint>
    )}
  </li>
);
