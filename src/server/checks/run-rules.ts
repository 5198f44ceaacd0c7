import { type Finding, SEVERITIES } from '../../shared/api/checks.ts';
import { type CheckedText, lineAt, type TextRange } from '../../shared/checked-text.ts';
import {
  type AgentContext,
  isAgentCut,
  isSkillCut,
  type SkillContext,
  shownLength,
  toAgentContext,
  toSkillContext,
} from './context.ts';
import type { AgentRule, Rule, RuleFinding, SkillRule } from './rule.ts';
import { rules } from './rules/index.ts';
import {
  type AgentSnapshot,
  CHECKED_FILES,
  type CheckedFile,
  type CheckFacts,
  type SkillSnapshot,
} from './snapshot.ts';

/** One agent's or skill's findings, sorted by file and position. */
export interface CheckResult {
  readonly findings: readonly Finding[];
  /** True if there are more findings than these. */
  readonly truncated: boolean;
}

/** The limits for findings: per rule, and per agent or skill. Nobody reads more. */
const MAX_OF_RULE = 100;
const MAX_FINDINGS = 500;
const MAX_MESSAGE = 500;
/** The limit for checking an agent's own skills, in characters. Rules take up to 0.3 µs per character. */
const MAX_OWN_CHARACTERS = 1024 * 1024;

/** Converts offsets into lines and columns. If there's no text, everything is at line 1. */
const toPlace = (text: CheckedText | undefined, range: TextRange) => {
  if (!text) return { line: 1, column: 1, endLine: 1, endColumn: 1 };
  // Only the start of a very long file is loaded.
  const [start, end] = [range.start, range.end].map((at) => Math.min(at, text.text.length)) as [
    number,
    number,
  ];
  const first = lineAt(text, start);
  const last = lineAt(text, end);
  return {
    line: first.number,
    column: Math.max(0, start - first.start) + 1,
    endLine: last.number,
    endColumn: Math.max(0, end - last.start) + 1,
  };
};

const toFinding = (rule: Rule, text: CheckedText | undefined, found: RuleFinding): Finding => ({
  rule: rule.id,
  severity: rule.severity,
  file: found.file,
  ...toPlace(text, { start: found.start ?? 0, end: found.end ?? found.start ?? 0 }),
  message: found.message.slice(0, MAX_MESSAGE).toWellFormed(),
  ...(found.fix && text
    ? {
        fix: {
          title: found.fix.title,
          safe: found.fix.safe,
          edits: found.fix.edits.map((edit) => ({
            ...toPlace(text, edit),
            text: edit.text.replaceAll('\n', text.lineEnd),
          })),
        },
      }
    : {}),
});

/** Collects findings up to the limits. */
const createCollector = (textOf: (file: string) => CheckedText | undefined) => {
  const findings: Finding[] = [];
  let truncated = false;
  return {
    collect(rule: Rule, found: Iterable<RuleFinding>): void {
      let count = 0;
      for (const one of found) {
        if (count++ === MAX_OF_RULE || findings.length === MAX_FINDINGS) {
          truncated = true;
          return;
        }
        findings.push(toFinding(rule, textOf(one.file), one));
      }
    },
    result(): CheckResult {
      const order = (a: Finding, b: Finding) =>
        SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
      findings.sort(
        (a, b) =>
          (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
          a.line - b.line ||
          a.column - b.column ||
          order(a, b),
      );
      return { findings, truncated };
    },
  };
};

const isCheckedFile = (name: string): name is CheckedFile =>
  (CHECKED_FILES as readonly string[]).includes(name);

const ofAgents = rules.filter((rule): rule is AgentRule => rule.appliesTo === 'agent');
const ofSkills = rules.filter((rule): rule is SkillRule => rule.appliesTo === 'skill');

/** Checks one skill. Yields after each rule. */
function* checkSkillInSteps(skill: SkillSnapshot): Generator<void, CheckResult> {
  const context: SkillContext = toSkillContext(skill);
  const { collect, result } = createCollector((file) => context.texts().get(file));
  for (const rule of ofSkills) {
    collect(rule, rule.check(context));
    yield;
  }
  const { findings, truncated } = result();
  return { findings, truncated: truncated || isSkillCut(skill) };
}

const atOnce = <T>(steps: Generator<void, T>): T => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/** Checks one skill, either shared or an agent's own. */
export const checkSkillSnapshot = (skill: SkillSnapshot): CheckResult => atOnce(checkSkillInSteps(skill));

/**
 * Checks one agent and its own skills. Shared skills are checked separately, once. Yields after each rule, so that a
 * thread can handle other requests while it checks a hostile agent.
 */
export function* checkAgentInSteps(agent: AgentSnapshot, facts: CheckFacts): Generator<void, CheckResult> {
  const context: AgentContext = toAgentContext(agent, facts);
  const { collect, result } = createCollector((file) =>
    isCheckedFile(file) ? context.text(file) : undefined,
  );
  for (const rule of ofAgents) {
    collect(rule, rule.check(context));
    yield;
  }
  const { findings, truncated } = result();
  const all = [...findings];
  let isTruncated = truncated || isAgentCut(agent);
  let left = MAX_OWN_CHARACTERS;
  for (const { path, own } of agent.skills) {
    if (!own) continue;
    left -= shownLength(own);
    if (left < 0) {
      isTruncated = true;
      break;
    }
    const found = yield* checkSkillInSteps(own);
    all.push(...found.findings.map((one) => ({ ...one, file: `${path}/${one.file}` })));
    isTruncated ||= found.truncated || all.length > MAX_FINDINGS;
    if (all.length > MAX_FINDINGS) break;
  }
  return { findings: all.slice(0, MAX_FINDINGS), truncated: isTruncated };
}

/** Runs {@link checkAgentInSteps} without pauses. */
export const checkAgentSnapshot = (agent: AgentSnapshot, facts: CheckFacts): CheckResult =>
  atOnce(checkAgentInSteps(agent, facts));
