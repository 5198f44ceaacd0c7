import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import type { AgentCheckCounts } from '../../../../shared/api/checks.ts';
import type { EarningsGroup, EarningsSums } from '../../../../shared/api/earnings.ts';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import type { AgentProfile } from '../../../../shared/api/profiles.ts';
import type { SignIns } from '../../../../shared/api/readiness.ts';
import type { AgentStatus } from '../../../../shared/api/status.ts';
import type { LastRuns } from '../../../../shared/api/usage.ts';
import { type AgentProblems, problemsOf } from '../../attention.ts';
import { isPartlyKnown, marginOf, spentOf } from '../../money/earnings.ts';

/** An agent's recent earnings and spending, in sats. Null if unknown. */
export interface AgentMoney {
  readonly earned: number | null;
  readonly spent: number | null;
  /** True if part of `spent` is an estimate. */
  readonly isEstimate: boolean;
  /** True if some spending is unknown, so that `spent` is a minimum and `margin` a maximum. */
  readonly isLeast: boolean;
  readonly margin: number | null;
}

/** The main result of an agent's readiness check: what blocks a run, or else its sign-in state. */
export type RowReadiness =
  | 'ready'
  | 'checking'
  | 'unchecked'
  /** The number of findings that prevent a run. */
  | number
  | 'invalid'
  | 'missing'
  | 'no-pi'
  | 'unreadable';

/** An agent in the overview. */
export interface OverviewRow {
  readonly id: string;
  /** The first line of the agent's prompt. */
  readonly firstLine: string | undefined;
  /** The name of the agent's model. Null if no file names one, and undefined until loaded. */
  readonly model: string | null | undefined;
  /** ISO 8601. Undefined if unknown. */
  readonly changedAt: string | undefined;
  /** Undefined until loaded. */
  readonly links: number | undefined;
  readonly problems: AgentProblems | undefined;
  /** Undefined until loaded. */
  readonly readiness: RowReadiness | undefined;
  /** Undefined until loaded. */
  readonly money: AgentMoney | undefined;
  /** Undefined if the agent reported nothing. */
  readonly status: AgentStatus | undefined;
  /** ISO 8601. Null if the agent never ran, and undefined until loaded. */
  readonly lastRunAt: string | null | undefined;
  /** True if one of the agent's files has unsaved text. */
  readonly isUnsaved: boolean;
}

/** Returns a model's name without its providers, which would leave no room for the part that differs. */
export const shortModel = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

/** Returns a prompt's first line as plain text, without the agent's name, which the row already shows. */
export const shortLine = (id: string, line: string): string => {
  const text = line.replace(/\*\*|`/g, '');
  const start = `you are ${id.toLowerCase()}`;
  const rest = text.slice(start.length).replace(/^[\s:,.–—-]+/, '');
  const isNamed = text.toLowerCase().startsWith(start) && /^[\s:,.–—-]/.test(text.slice(start.length));
  return isNamed && rest !== '' ? rest : text;
};

/** The amounts of an agent that earned and spent nothing. */
export const NO_MONEY: AgentMoney = {
  earned: 0,
  spent: 0,
  isEstimate: false,
  isLeast: false,
  margin: 0,
};

/** Converts earnings and spending for the overview. */
export const toMoney = (sums: EarningsSums): AgentMoney => ({
  earned: sums.earnedSats,
  spent: spentOf(sums),
  isEstimate: sums.spentSatsEstimated !== 0,
  isLeast: isPartlyKnown(sums),
  margin: marginOf(sums),
});

/** Data that can arrive later than the agents. */
interface OverviewReads {
  readonly checks?: readonly AgentCheckCounts[] | undefined;
  readonly profiles?: readonly AgentProfile[] | undefined;
  readonly earnings?: readonly EarningsGroup[] | undefined;
  readonly lastRuns?: LastRuns['agents'] | undefined;
  readonly signIns?: SignIns | undefined;
  readonly statuses?: ReadonlyMap<string, AgentStatus> | undefined;
  readonly unsaved?: ReadonlySet<string>;
}

/** Combines the agents with their models, links, problems and money, in the order of the list. */
export const overviewRows = (
  agents: readonly AgentListEntry[],
  counts: readonly AgentLinkCounts[] | undefined,
  { checks, profiles, earnings, lastRuns, signIns, statuses, unsaved }: OverviewReads = {},
): readonly OverviewRow[] => {
  const byId = new Map(counts?.map((count) => [count.id, count]));
  const findings = new Map(checks?.map((count) => [count.id, count]));
  const profileOf = new Map(profiles?.map((profile) => [profile.id, profile]));
  const sums = new Map(earnings?.map((group) => [group.key, group]));
  const ranAt = new Map(lastRuns?.map(({ id, lastRunAt }) => [id, lastRunAt]));
  const signInOf = new Map(signIns?.agents.map(({ id, state }) => [id, state]));
  const readinessOf = ({ id, problem }: AgentListEntry): RowReadiness | undefined => {
    if (problem !== undefined) return 'unreadable';
    if (!signIns || !checks) return undefined;
    if (!signIns.pi) return 'no-pi';
    const state = signInOf.get(id);
    if (state === 'missing' || state === 'invalid') return state;
    return findings.get(id)?.stopping || (state ?? (signIns.checking ? 'checking' : 'unchecked'));
  };
  const moneyOf = (id: string): AgentMoney | undefined => {
    const group = sums.get(id);
    return group ? toMoney(group) : earnings && NO_MONEY;
  };
  return agents.map((agent) => {
    const count = byId.get(agent.id);
    const profile = profileOf.get(agent.id);
    return {
      id: agent.id,
      firstLine: profile?.firstLine,
      model: profile?.model?.name ?? (profiles && null),
      changedAt: agent.changedAt,
      links: counts && (count?.links ?? 0),
      readiness: readinessOf(agent),
      problems: problemsOf(agent, count, findings.get(agent.id)),
      money: moneyOf(agent.id),
      status: statuses?.get(agent.id),
      lastRunAt: ranAt.get(agent.id) ?? (lastRuns && null),
      isUnsaved: unsaved?.has(agent.id) === true,
    };
  });
};

/** Returns the earnings and spending that belong to no agent. Null if there are none. */
export const moneyOfNoAgent = (earnings: readonly EarningsGroup[] | undefined): AgentMoney | null => {
  const group = earnings?.find(({ key }) => key === null);
  return group ? toMoney(group) : null;
};
