import { expect, test } from 'vitest';
import { checkAgent, checkSkill, expectFix, fixed, linkTo, marked } from '../../support/check.ts';

test('pi-args-several-tokens splits a line and keeps everything else', () => {
  const check = (text: string) => checkAgent({ files: { 'pi-args': text } }, 'pi-args-several-tokens');
  const before = '# The model  of the team\n\n--model local/qwen\n--no-session\n  --tools   read,bash \n';
  expect(check(before).map((finding) => marked(before, finding))).toEqual([
    '--model local/qwen',
    '--tools   read,bash',
  ]);
  expect(check(before)[0]).toMatchObject({ severity: 'warning', line: 3, column: 1, endColumn: 19 });
  expectFix(
    check,
    before,
    '# The model  of the team\n\n--model\nlocal/qwen\n--no-session\n  --tools\nread,bash \n',
  );
  expect(check('# two words\n--model\nlocal/qwen\n')).toEqual([]);
});

test('skill-name-directory compares the name with the directory', () => {
  const check = (text: string) => checkSkill(text, 'skill-name-directory');
  const skill = (name: string) =>
    `---\n# A comment\nname: ${name} # why\ndescription: Summarises.\n---\n\nBody.\n`;
  const [finding] = check(skill('"git-diff"'));
  expect(finding).toMatchObject({ file: 'SKILL.md', line: 3, column: 7, fix: { safe: false } });
  expect(fixed(skill('"git-diff"'), check(skill('"git-diff"')))).toBe(skill('git-summary'));
  expectFix(check, skill('git-diff'), skill('git-summary'));
  expect(check(skill('"git-summary"'))).toEqual([]);
});

test('agent-md-unread looks for the extension that reads AGENT.md', () => {
  const files = { 'AGENT.md': '---\nmodel: local/qwen\n---\n' };
  const link = linkTo('extensions', 'agent-prompt.ts');
  expect(checkAgent({ files }, 'agent-md-unread')).toMatchObject([{ file: 'AGENT.md', line: 1, column: 1 }]);
  expect(checkAgent({ files, extensions: { 'agent-prompt.ts': { link } } }, 'agent-md-unread')).toEqual([]);
  expect(checkAgent({}, 'agent-md-unread')).toEqual([]);
  const broken = { ...link, state: 'broken' } as const;
  expect(
    checkAgent({ files, extensions: { 'agent-prompt.ts': { link: broken } } }, 'agent-md-unread'),
  ).toHaveLength(1);
});
