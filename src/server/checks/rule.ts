import type { Severity } from '../../shared/api/checks.ts';
import type { TextRange } from '../../shared/checked-text.ts';
import type { AgentContext, SkillContext } from './context.ts';

/** A replacement in the finding's file. */
interface RuleEdit extends TextRange {
  /** May contain `\n`, which becomes the file's line ending. */
  readonly text: string;
}

/** A finding, as a rule returns it. */
export interface RuleFinding extends Partial<TextRange> {
  /** Relative to the agent's or skill's directory. Without a range, the finding applies to the entire file. */
  readonly file: string;
  /** One or two sentences: the problem and the solution. */
  readonly message: string;
  /**
   * `safe` means that the fix needs no review, because the file keeps its meaning. A fixed file must pass the rule and
   * stay the same otherwise. Only for text files.
   */
  readonly fix?: { readonly title: string; readonly safe: boolean; readonly edits: readonly RuleEdit[] };
}

interface RuleText {
  /** Lowercase with hyphens. Never reused. */
  readonly id: string;
  readonly severity: Severity;
  /** The section in docs/checks.md. */
  readonly topic: 'pi-args' | 'files' | 'links' | 'skill' | 'security';
  /** A few words, used as a heading in docs/checks.md. */
  readonly title: string;
  /** Why it matters and what to do: a paragraph in docs/checks.md and behind "Why?" in the window. */
  readonly why: string;
}

/** A rule about an agent and everything in its directory. */
export interface AgentRule extends RuleText {
  readonly appliesTo: 'agent';
  /** Can be a generator, which the engine stops at the limit for findings. */
  check(context: AgentContext): Iterable<RuleFinding>;
}

/** A rule about a skill, either shared or an agent's own. */
export interface SkillRule extends RuleText {
  readonly appliesTo: 'skill';
  /** As in {@link AgentRule}. */
  check(context: SkillContext): Iterable<RuleFinding>;
}

/**
 * A rule. Its `check` is pure: it reads no files, executes nothing and takes linear time for any text, so its regular
 * expressions must not backtrack.
 */
export type Rule = AgentRule | SkillRule;

/** Defines a rule about agents, with the type of its context. */
export const agentRule = (rule: Omit<AgentRule, 'appliesTo'>): AgentRule => ({ appliesTo: 'agent', ...rule });

/** Defines a rule about skills. */
export const skillRule = (rule: Omit<SkillRule, 'appliesTo'>): SkillRule => ({ appliesTo: 'skill', ...rule });
