import {
  CircleAlert,
  FileWarning,
  FolderOpen,
  Link2,
  Link2Off,
  type LucideIcon,
  PiggyBank,
  TriangleAlert,
} from 'lucide-react';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import type { AgentBudget } from '../../../../shared/api/budgets.ts';
import type { AgentCheckCounts } from '../../../../shared/api/checks.ts';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import { usedPercent, WARN_AT_PERCENT } from '../../attention.ts';
import { budgets } from '../../strings/budgets.ts';
import { strings } from '../../strings.ts';
import { cx } from '../../ui/cx.ts';

const words = strings.agents;

/** An agent's badges in the list: its workspace, its links and its problems. */
export const AgentBadges = ({
  agent,
  links,
  checks,
  budget,
}: {
  readonly agent: AgentListEntry;
  /** Undefined until they are loaded, and for an agent without links. */
  readonly links: AgentLinkCounts | undefined;
  /** Undefined until they are loaded, and for an agent without findings. */
  readonly checks: AgentCheckCounts | undefined;
  /** Undefined for an agent without a budget. */
  readonly budget: AgentBudget | undefined;
}) => {
  const usedOfBudget = budget ? usedPercent(budget) : 0;
  const problem = agent.problem ?? links?.problem;
  const { errors = 0, warnings = 0 } = checks ?? {};
  return (
    <span className="flex shrink-0 items-center gap-2 text-xs text-muted tabular-nums">
      {problem && <Mark icon={TriangleAlert} label={problem.message} tone="danger" />}
      {agent.missingFiles && (
        <Mark icon={FileWarning} label={words.missing(agent.missingFiles)} tone="danger" />
      )}
      {links && links.brokenLinks > 0 && (
        <Mark
          icon={Link2Off}
          label={words.brokenLinks(links.brokenLinks)}
          count={links.brokenLinks}
          tone="warn"
        />
      )}
      {errors + warnings > 0 && (
        <Mark
          icon={errors > 0 ? CircleAlert : TriangleAlert}
          label={words.findings(errors, warnings)}
          count={errors + warnings}
          tone={errors > 0 ? 'danger' : 'warn'}
        />
      )}
      {usedOfBudget >= WARN_AT_PERCENT && (
        <Mark
          icon={PiggyBank}
          label={budget?.exceeded ? budgets.exceeded : budgets.chip(usedOfBudget)}
          tone={budget?.exceeded ? 'danger' : 'warn'}
        />
      )}
      {agent.workspace && <Mark icon={FolderOpen} label={words.workspace} />}
      {links && links.links > 0 && <Mark icon={Link2} label={words.links(links.links)} count={links.links} />}
    </span>
  );
};

const TONES = { warn: 'text-warn', danger: 'text-danger' } as const;

const Mark = ({
  icon: Icon,
  label,
  count,
  tone,
}: {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly count?: number;
  readonly tone?: keyof typeof TONES;
}) => (
  <span
    data-details={label}
    className={cx('relative flex items-center gap-0.5', tone ? TONES[tone] : 'max-icons:sr-only')}
  >
    <Icon aria-hidden="true" className="size-3" />
    {count !== undefined && <span aria-hidden="true">{count}</span>}
    <span className="sr-only">{label}</span>
  </span>
);
