import type { Severity } from '../../shared/api/checks.ts';
import type { TextRange } from './checked-text.ts';
import type { AgentContext, SkillContext } from './context.ts';

/** A replacement in the finding's file. */
interface RuleEdit extends TextRange {
  /** May contain `\n`, which becomes the line end of the file. */
  readonly text: string;
}

/** A finding as a rule reports it. */
export interface RuleFinding extends Partial<TextRange> {
  /** Relative to the directory of the agent or the skill. Without a range, the finding is about the whole file. */
  readonly file: string;
  /** One or two sentences: what is wrong, and what to do. */
  readonly message: string;
  /**
   * `safe`: nobody needs to read it first, because it changes no meaning that the file has now. A fixed file
   * must pass the rule, and keep everything else as it was. Only for files that hold text.
   */
  readonly fix?: { readonly title: string; readonly safe: boolean; readonly edits: readonly RuleEdit[] };
}

interface RuleText {
  /** Lower case with hyphens. Never reuse one. */
  readonly id: string;
  readonly severity: Severity;
  /** The section of docs/checks.md. */
  readonly topic: 'pi-args' | 'files' | 'links' | 'skill' | 'security';
  /** A few words, as a heading in docs/checks.md. */
  readonly title: string;
  /** Why it matters and what to do, as a paragraph in docs/checks.md and behind "Why?" in the window. */
  readonly why: string;
}

/** A rule about an agent, checked with everything in its directory. */
export interface AgentRule extends RuleText {
  readonly appliesTo: 'agent';
  /** May be a generator, which the engine stops once an agent has more findings than it reports. */
  check(context: AgentContext): Iterable<RuleFinding>;
}

/** A rule about a skill: each shared one, and each one of an agent's own. */
export interface SkillRule extends RuleText {
  readonly appliesTo: 'skill';
  /** As in {@link AgentRule}. */
  check(context: SkillContext): Iterable<RuleFinding>;
}

/**
 * A rule. Its `check` is a pure function: it reads no file, executes nothing, and takes linear time for any
 * text, so its regular expressions must not backtrack.
 */
export type Rule = AgentRule | SkillRule;

/** Defines a rule, with the type of its context. */
export const agentRule = (rule: Omit<AgentRule, 'appliesTo'>): AgentRule => ({ appliesTo: 'agent', ...rule });

/** Defines a rule about skills. */
export const skillRule = (rule: Omit<SkillRule, 'appliesTo'>): SkillRule => ({ appliesTo: 'skill', ...rule });
