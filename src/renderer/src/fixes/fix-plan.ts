import type { AgentChecks, Finding } from '../../../shared/api/checks.ts';
import type { BrokenLink } from '../../../shared/api/links.ts';
import { type EditableFile, isEditableFile } from '../../../shared/api/names.ts';

/** A finding in an editable file, with a fix. */
export type Fixable = Finding & {
  readonly file: EditableFile;
  readonly fix: NonNullable<Finding['fix']>;
};

/** Returns whether the API can fix a finding. */
export const isFixable = (finding: Finding): finding is Fixable =>
  finding.fix !== undefined && isEditableFile(finding.file);

/** An agent whose files were checked. */
export interface CheckedAgent {
  readonly id: string;
  readonly checks: AgentChecks;
  /** The agent's files with unsaved text, which would conflict with a fix on disk. */
  readonly unsaved: readonly EditableFile[];
  readonly broken?: readonly BrokenLink[] | undefined;
}

/** A broken link that can be repaired or removed. */
export interface PlannedLink extends BrokenLink {
  readonly id: string;
}

/** One agent's safe fixes. */
export interface PlannedFixes {
  readonly id: string;
  readonly etags: AgentChecks['etags'];
  readonly findings: readonly Fixable[];
}

/** An agent's remaining problems. */
export interface LeftProblems {
  readonly id: string;
  /** The number of errors and warnings. Hints don't count. */
  readonly count: number;
  /** True if the check listed only the first problems, so that `count` is a minimum. */
  readonly isLeast: boolean;
  /** The files that aren't fixed because they have unsaved text. */
  readonly unsaved: readonly EditableFile[];
  /** Why its fixes failed, or why it couldn't be checked. */
  readonly reason?: string;
}

/** The plan for fixing several agents. */
export interface FixPlan {
  readonly agents: readonly PlannedFixes[];
  /** The number of safe fixes for each rule, largest first. */
  readonly kinds: readonly { readonly title: string; readonly count: number }[];
  /** The total of `kinds`. */
  readonly fixes: number;
  /** The broken links. They count as remaining until {@link withoutLinks}. */
  readonly links: readonly PlannedLink[];
  /** The problems that remain if all fixes succeed. */
  readonly left: readonly LeftProblems[];
}

const isSafe = (finding: AgentChecks['findings'][number], unsaved: readonly EditableFile[]): boolean =>
  isFixable(finding) && finding.fix.safe && !unsaved.includes(finding.file);

/** Plans the safe fixes. The other problems need a person, agent by agent. */
export const planFixes = (checked: readonly CheckedAgent[]): FixPlan => {
  const counts = new Map<string, number>();
  const agents: PlannedFixes[] = [];
  const left: LeftProblems[] = [];
  for (const { id, checks, unsaved } of checked) {
    const safe = checks.findings.filter(isFixable).filter((finding) => isSafe(finding, unsaved));
    const rest = checks.findings.filter((finding) => !isSafe(finding, unsaved));
    for (const { rule } of safe) {
      const title = checks.rules.find((one) => one.id === rule)?.title ?? rule;
      counts.set(title, (counts.get(title) ?? 0) + 1);
    }
    if (safe.length > 0) agents.push({ id, etags: checks.etags, findings: safe });
    const count = rest.filter(({ severity }) => severity !== 'hint').length;
    const waiting = unsaved.filter((file) =>
      rest.some((finding) => finding.file === file && isFixable(finding) && finding.fix.safe),
    );
    if (count > 0 || waiting.length > 0 || checks.truncated)
      left.push({ id, count, isLeast: checks.truncated, unsaved: waiting });
  }
  return {
    agents,
    kinds: [...counts]
      .map(([title, count]) => ({ title, count }))
      .sort((a, b) => b.count - a.count || (a.title < b.title ? -1 : 1)),
    fixes: agents.reduce((sum, { findings }) => sum + findings.length, 0),
    links: checked.flatMap(({ id, broken = [] }) => broken.map((link) => ({ id, ...link }))),
    left,
  };
};

/** Returns the remaining problems once these links are repaired or removed. */
export const withoutLinks = (
  left: readonly LeftProblems[],
  links: readonly Pick<PlannedLink, 'id'>[],
): LeftProblems[] => {
  const counts = new Map<string, number>();
  for (const { id } of links) counts.set(id, (counts.get(id) ?? 0) + 1);
  return left
    .map((one) => ({ ...one, count: Math.max(0, one.count - (counts.get(one.id) ?? 0)) }))
    .filter(
      ({ count, isLeast, unsaved, reason }) =>
        count > 0 || isLeast || unsaved.length > 0 || reason !== undefined,
    );
};

/** Adds failed fixes to the remaining problems, sorted by agent. */
export const addLeft = (
  left: readonly LeftProblems[],
  failed: readonly { readonly id: string; readonly count: number; readonly reason?: string }[],
): LeftProblems[] => {
  const byId = new Map(left.map((one) => [one.id, one]));
  for (const { id, count, reason } of failed) {
    const before = byId.get(id) ?? { id, count: 0, isLeast: false, unsaved: [] };
    byId.set(id, { ...before, count: before.count + count, ...(reason === undefined ? {} : { reason }) });
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
};
