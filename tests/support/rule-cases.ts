import { expect, test } from 'vitest';
import type { Finding } from '../../src/shared/api/checks.ts';
import { type CheckedAgent, type CheckedSkill, checkAgent, checkSkill, marked } from './check.ts';

/** One rule with what triggers it, and what almost does. */
export interface RuleCase<T> {
  rule: string;
  bad: T;
  /** For each finding, the text that it marks. "" is the start of a file. */
  marks: string[];
  /** What the message of the first finding contains. */
  says?: string | RegExp;
  /** What must not be in any message. */
  hides?: string;
  /** Only a hair away, and fine. */
  good: T[];
}

const expectCase = <T>(
  { rule, bad, marks, says = '', hides, good }: RuleCase<T>,
  check: (one: T, rule: string) => readonly Finding[],
  textOf: (one: T, file: string) => string,
) => {
  const found = check(bad, rule);
  expect(found.map((finding) => marked(textOf(bad, finding.file), finding))).toEqual(marks);
  expect(found[0]?.message).toMatch(says);
  if (hides !== undefined) expect(JSON.stringify(found)).not.toContain(hides);
  for (const one of good) expect(check(one, rule)).toEqual([]);
};

/** Tests rules about agents. */
export const testAgentRules = (cases: readonly RuleCase<CheckedAgent>[]): void => {
  test.each(cases.map((one) => [one.rule, one] as const))('%s', (_, one) => {
    expectCase(one, checkAgent, ({ files }, file) => {
      const content = files?.[file as 'pi-args'];
      return typeof content === 'string' ? content : '';
    });
  });
};

/** Tests rules about skills. */
export const testSkillRules = (cases: readonly RuleCase<CheckedSkill>[]): void => {
  test.each(cases.map((one) => [one.rule, one] as const))('%s', (_, one) => {
    expectCase(one, checkSkill, (skill, file) => {
      if (typeof skill === 'string') return skill;
      const content = file === 'SKILL.md' ? skill.file : '';
      return typeof content === 'string' ? content : '';
    });
  });
};
