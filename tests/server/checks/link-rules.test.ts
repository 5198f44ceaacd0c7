import { expect, test } from 'vitest';
import type { LinkTarget } from '../../../src/server/checks/snapshot.ts';
import { type CheckedAgent, checkAgent, linkTo } from '../../support/check.ts';
import { testAgentRules } from '../../support/rule-cases.ts';

const factsOf = (name: string, more = {}) => ({
  name,
  description: 'Summarizes. Use it for reports.',
  isHidden: false,
  ...more,
});

const link = (state: LinkTarget['state']): LinkTarget => ({ text: '../../../shared/skills/gone', state });

const user = (piArgs: string, names = ['notes']): CheckedAgent => ({
  files: { 'pi-args': piArgs },
  facts: { userSkills: names.map((name) => factsOf(name)) },
});

testAgentRules([
  {
    rule: 'link-broken',
    bad: {
      skills: { gone: { link: link('broken') } },
      extensions: { 'say.ts': { link: link('broken') } },
      prompts: { 'review.md': { link: link('broken') } },
      themes: { 'quiet.json': { link: link('broken') } },
    },
    marks: ['', '', '', ''],
    good: [{ skills: { gone: { link: link('there') } } }, { skills: { gone: { link: link('outside') } } }],
  },
  {
    rule: 'link-outside',
    bad: { skills: { mine: { link: link('outside') } }, prompts: { 'x.md': { link: link('outside') } } },
    marks: ['', ''],
    good: [{ skills: { mine: { link: link('there') } } }, { skills: { mine: {} } }],
  },
  {
    rule: 'skill-shadowed',
    bad: {
      skills: {
        a: { facts: factsOf('notes'), link: linkTo('skills', 'a') },
        b: { facts: factsOf('notes'), link: linkTo('skills', 'b') },
        c: { facts: factsOf('notes') },
      },
    },
    marks: ['', ''],
    says: 'because skills/a has the same name, "notes"',
    good: [
      {
        skills: {
          a: { facts: factsOf('notes'), link: linkTo('skills', 'a') },
          // Another link to the same skill, two skills that pi doesn't load, and one of the user.
          b: { facts: factsOf('notes'), link: linkTo('skills', 'a') },
          c: { facts: factsOf('notes', { description: undefined }) },
          d: { facts: factsOf('notes'), isOff: true },
        },
        facts: { userSkills: [factsOf('notes')] },
      },
    ],
  },
  {
    rule: 'skill-hidden',
    bad: { skills: { a: { facts: factsOf('notes', { isHidden: true }) } } },
    marks: [''],
    says: '/skill:notes',
    good: [{ skills: { a: { facts: factsOf('notes') } } }],
  },
  {
    rule: 'user-skills-leak',
    bad: user('', ['a', 'b', 'c', 'd', 'e']),
    marks: [''],
    says: 'pi adds 5 skills from ~/.agents/skills to this prompt (an estimated 220 tokens): "a", "b", "c" and 2 more.',
    good: [
      user('--no-skills'),
      user('--tools\nls'),
      user('', []),
      { ...user(''), skills: { notes: { facts: factsOf('notes') } } },
      { facts: { userSkills: [factsOf('notes', { isHidden: true })] } },
    ],
  },
]);

test('a broken link is about the link, and has no fix', () => {
  const [found] = checkAgent({ skills: { gone: { link: link('broken') } } }, 'link-broken');
  expect(found).toMatchObject({ file: 'skills/gone', line: 1, column: 1, severity: 'error' });
  expect(found).not.toHaveProperty('fix');
});
