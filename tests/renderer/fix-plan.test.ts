import { describe, expect, it } from 'vitest';
import { addLeft, planFixes, withoutLinks } from '../../src/renderer/src/fixes/fix-plan.ts';
import type { AgentChecks, Finding } from '../../src/shared/api/checks.ts';

const finding = (rule: string, file: string, more: Partial<Finding> = {}): Finding => ({
  rule,
  severity: 'warning',
  file,
  line: 1,
  column: 1,
  endLine: 1,
  endColumn: 2,
  message: 'It is wrong.',
  ...more,
});

const fixed = (safe: boolean): Pick<Finding, 'fix'> => ({ fix: { title: 'Fix it', safe, edits: [] } });

const checksOf = (findings: readonly Finding[], truncated = false): AgentChecks => ({
  findings: [...findings],
  rules: [...new Set(findings.map(({ rule }) => rule))].map((id) => ({
    id,
    title: `Title of ${id}`,
    why: '',
  })),
  truncated,
  linkedSkills: [],
  etags: { 'pi-args': '"1"', 'SYSTEM.md': '"2"' },
});

describe('a plan to fix several agents', () => {
  it('has the safe fixes of editable files alone, counted by kind, most first', () => {
    const plan = planFixes([
      {
        id: 'a',
        checks: checksOf([
          finding('one', 'pi-args', fixed(true)),
          finding('two', 'pi-args', fixed(true)),
          finding('risky', 'SYSTEM.md', fixed(false)),
        ]),
        unsaved: [],
      },
      {
        id: 'b',
        checks: checksOf([
          finding('two', 'SYSTEM.md', fixed(true)),
          finding('skill', 'skills/own/SKILL.md', fixed(true)),
        ]),
        unsaved: [],
      },
      { id: 'c', checks: checksOf([finding('tip', 'pi-args', { severity: 'hint' })]), unsaved: [] },
    ]);
    expect(plan.fixes).toBe(3);
    expect(plan.kinds).toEqual([
      { title: 'Title of two', count: 2 },
      { title: 'Title of one', count: 1 },
    ]);
    expect(plan.agents.map(({ id, findings }) => [id, findings.length])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    // A hint can stay, so the third agent doesn't need anyone.
    expect(plan.left).toEqual([
      { id: 'a', count: 1, isLeast: false, unsaved: [] },
      { id: 'b', count: 1, isLeast: false, unsaved: [] },
    ]);
  });

  it('leaves files with unsaved text alone and names them, and knows that a cut list is not all', () => {
    const checks = checksOf([
      finding('one', 'pi-args', fixed(true)),
      finding('two', 'SYSTEM.md', fixed(true)),
    ]);
    const plan = planFixes([
      { id: 'a', checks, unsaved: ['pi-args', 'AGENT.md'] },
      { id: 'b', checks: checksOf([finding('one', 'pi-args', fixed(true))], true), unsaved: [] },
    ]);
    expect(plan.agents.map(({ findings }) => findings.map(({ file }) => file))).toEqual([
      ['SYSTEM.md'],
      ['pi-args'],
    ]);
    expect(plan.left).toEqual([
      { id: 'a', count: 1, isLeast: false, unsaved: ['pi-args'] },
      { id: 'b', count: 0, isLeast: true, unsaved: [] },
    ]);
  });

  it('has the broken links, and counts those that aren’t chosen as left', () => {
    const broken = [
      { kind: 'skills' as const, name: 'moved', repairable: true },
      { kind: 'skills' as const, name: 'lost', repairable: false },
    ];
    const findings = broken.map(({ name }) =>
      finding('link-broken', `skills/${name}`, { severity: 'error' }),
    );
    const { links, left } = planFixes([{ id: 'a', checks: checksOf(findings), unsaved: [], broken }]);
    expect(links.map(({ id, name }) => `${id}/${name}`)).toEqual(['a/moved', 'a/lost']);
    expect(left).toEqual([{ id: 'a', count: 2, isLeast: false, unsaved: [] }]);
    expect(withoutLinks(left, links.slice(0, 1))).toEqual([
      { id: 'a', count: 1, isLeast: false, unsaved: [] },
    ]);
    expect(withoutLinks(left, links)).toEqual([]);
  });

  it('adds what failed to what stays', () => {
    const left = [{ id: 'b', count: 2, isLeast: false, unsaved: [] }];
    expect(
      addLeft(left, [
        { id: 'b', count: 1, reason: 'It has changed.' },
        { id: 'a', count: 3, reason: 'It is gone.' },
      ]),
    ).toEqual([
      { id: 'a', count: 3, isLeast: false, unsaved: [], reason: 'It is gone.' },
      { id: 'b', count: 3, isLeast: false, unsaved: [], reason: 'It has changed.' },
    ]);
  });
});
