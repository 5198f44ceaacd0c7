import { expect, test } from 'vitest';
import { type CheckedSkill, checkAgent, checkSkill, expectFix } from '../../support/check.ts';
import { testAgentRules, testSkillRules } from '../../support/rule-cases.ts';

const WHEN = 'Summarizes a repository. Use when asked what changed.';

/** A skill with these lines in its frontmatter. */
const fields = (...lines: string[]): string =>
  `---\nname: git-summary\ndescription: ${WHEN}\n${lines.map((line) => `${line}\n`).join('')}---\n\nText.\n`;

/** A skill with this text. */
const body = (text: string, paths: string[] = []): CheckedSkill => ({
  file: `${fields()}${text}`,
  paths: ['SKILL.md', ...paths].sort(),
});

const described = (description: string): string => fields().replace(WHEN, description);

testSkillRules([
  {
    rule: 'skill-md-missing',
    bad: { file: { kind: 'missing' }, paths: ['README.md'] },
    marks: [''],
    says: 'has no SKILL.md',
    good: [{ file: { kind: 'missing' }, paths: ['inner/', 'inner/SKILL.md'] }, fields()],
  },
  {
    rule: 'skill-md-missing',
    bad: { file: { kind: 'refused', problem: 'not-a-file' } },
    marks: [''],
    says: 'isn’t a regular file, so pi finds no skill here',
    good: [{ file: { kind: 'refused', problem: 'too-large' } }],
  },
  {
    rule: 'skill-unread',
    bad: { file: { kind: 'refused', problem: 'too-large' } },
    marks: [''],
    says: 'larger than 2 MiB, so dot-mi can’t check it. pi may load it.',
    good: [{ file: { kind: 'refused', problem: 'not-a-file' } }, fields()],
  },
  {
    rule: 'skill-unread',
    bad: fields(`metadata: "${'x'.repeat(256 * 1024)}"`),
    marks: [''],
    says: 'larger than 256 KiB, so dot-mi doesn’t read it, but pi may.',
    good: [fields(`metadata: "${'x'.repeat(200 * 1024)}"`)],
  },
  {
    rule: 'skill-not-text',
    bad: { file: { kind: 'text', text: fields(), isPlain: false } },
    marks: [''],
    says: 'SKILL.md is not UTF-8, or contains NUL bytes. pi reads it',
    good: [fields()],
  },
  {
    rule: 'skill-frontmatter',
    bad: '---\nname: x\ndescription: a: b\n---\n',
    marks: ['a'],
    says: /not valid YAML \(line 3\).*pi doesn’t load this skill\.$/,
    good: ['---\nname: x\ndescription: "a: b"\n---\n', '---\nname: git-summary\n---\n'],
  },
  {
    rule: 'skill-frontmatter',
    bad: '---\nname: x\ndescription: "a\n---\n',
    marks: ['\n'],
    says: 'Missing closing " quote. pi doesn’t load this skill.',
    good: [],
  },
  {
    rule: 'skill-frontmatter',
    bad: '# Title\n',
    marks: ['# Title'],
    says: 'must start with a "---" line',
    good: ['\uFEFF---\r\ndescription: x\r\n---\r\n'],
  },
  {
    rule: 'skill-name-missing',
    bad: `---\ndescription: ${WHEN}\n---\n`,
    marks: ['---'],
    good: [fields(), '---\nname: Other\n---\n', '# no frontmatter'],
  },
  {
    rule: 'skill-name-format',
    bad: fields().replace('name: git-summary', 'name: Git--Summary'),
    marks: ['Git--Summary'],
    good: [fields(), fields().replace('name: git-summary', 'name: a1-b2-3')],
  },
  {
    rule: 'skill-name-format',
    bad: fields().replace('name: git-summary', 'name: 42'),
    marks: ['42'],
    says: 'must be a string',
    good: [fields().replace('name: git-summary', 'name: "42"')],
  },
  {
    rule: 'skill-name-format',
    bad: fields().replace('name: git-summary', `name: ${'a'.repeat(65)}`),
    marks: ['a'.repeat(65)],
    says: 'longer than 64',
    good: [fields().replace('name: git-summary', `name: ${'a'.repeat(64)}`)],
  },
  {
    rule: 'skill-description-missing',
    bad: '---\nname: git-summary\ndescription: " "\n---\n',
    marks: ['" "'],
    good: [described('.')],
  },
  {
    rule: 'skill-description-length',
    bad: described('x'.repeat(1025)),
    marks: ['x'.repeat(1025)],
    good: [described('x'.repeat(1024))],
  },
  {
    rule: 'skill-description-when',
    bad: described('Fetches the current price from a public API.'),
    marks: ['Fetches the current price from a public API.'],
    good: [
      fields(),
      described('Learn the commands for interacting with relays.'),
      described('Fasst zusammen, was sich geändert hat.'),
      // The model doesn’t see it.
      described('Fetches the current price from a public API.\ndisable-model-invocation: true'),
      described('要約します。'),
    ],
  },
  {
    rule: 'skill-field-type',
    bad: fields(
      'license: [MIT]',
      'compatibility: ""',
      'metadata: { a: [1] }',
      'allowed-tools: 3',
      'disable-model-invocation: "true"',
    ),
    marks: ['[MIT]', '""', '{ a: [1] }', '3', '"true"'],
    good: [
      fields(
        'license: MIT',
        `compatibility: ${'x'.repeat(500)}`,
        'metadata: { a: "1", b: 2 }',
        'allowed-tools: [Read, "Bash(git:*)"]',
        'disable-model-invocation: true',
      ),
    ],
  },
  {
    rule: 'skill-allowed-tools-commas',
    bad: fields('allowed-tools: Bash, Read'),
    marks: ['Bash, Read'],
    good: [fields('allowed-tools: Bash Read'), fields('allowed-tools: Bash(a, b) Read')],
  },
  {
    rule: 'skill-key-unknown',
    bad: fields('version: 1.0.0', 'licence: MIT'),
    marks: ['version', 'licence'],
    says: 'Put it under "metadata"',
    good: [fields('metadata: { version: 1.0.0 }', 'license: MIT', 'disable-model-invocation: false')],
  },
  {
    rule: 'skill-too-long',
    bad: body('line\n'.repeat(501)),
    marks: [''],
    says: 'SKILL.md has 503 lines.',
    good: [body('line\n'.repeat(490)), body(`${'word '.repeat(3_900)}`)],
  },
  {
    rule: 'skill-too-long',
    bad: body('word '.repeat(4_200)),
    marks: [''],
    says: 'an estimated 5,300 tokens',
    good: [],
  },
  {
    rule: 'skill-reference-broken',
    bad: body(
      'See [a](guide/a.md#top), ![b](<b.png>) and `scripts/run.sh now`.\n```sh\npython scripts/gone.py [c](c.md)\n```\n',
      ['scripts/', 'scripts/go.sh'],
    ),
    marks: ['guide/a.md#top', '<b.png>', 'scripts/run.sh', 'scripts/gone.py'],
    says: 'The skill has no file "guide/a.md"',
    good: [
      body('[a](guide/a.md#top) `scripts/go.sh` [b](guide/a%20b.md)', [
        'guide/',
        'guide/a.md',
        'guide/a b.md',
        'scripts/',
        'scripts/go.sh',
      ]),
      body(
        '[a](https://x.org/a.md) [b](#b.md) [c](url) [d](../x.md) [e](/x.md) [f](<file>.md) [g](mailto:a@b.c)\n' +
          '`[h](h.md)` `scripts/of-the-project.sh`\n~~~\n[i](i.md)\n```\n[j](j.md)\n~~~\n',
      ),
      { file: `${fields()}[a](a.md)`, hasAllPaths: false },
    ],
  },
]);

const facts = { name: 'notes', description: WHEN, isHidden: false };
const ignoring = (text: string, path = 'skills/.gitignore') => ({
  skills: { notes: { facts } },
  ignoreFiles: [{ path, text }],
});

testAgentRules([
  {
    rule: 'skill-ignored',
    bad: ignoring('*.log\nno*/\n'),
    marks: [''],
    says: 'because skills/.gitignore matches it',
    good: [
      ignoring('*\n!notes\n!notes/SKILL.md\n'),
      ignoring('# notes\nother/\n'),
      ignoring('notes/\n', 'skills/other/.ignore'),
      { skills: { notes: { facts } } },
    ],
  },
  // As pi does on every system.
  { rule: 'skill-ignored', bad: ignoring('skill.md'), marks: [''], good: [] },
  { rule: 'skill-ignored', bad: ignoring('SKILL.md'), marks: [''], good: [ignoring('SKILL.mdx')] },
]);

const checkOf = (rule: string) => (text: string) => checkSkill(text, rule);

test('fixes of SKILL.md pass their rule and keep everything else', () => {
  expectFix(
    checkOf('skill-name-missing'),
    `---\n# A comment\ndescription: ${WHEN}\n---\n\nText:  x\n`,
    `---\nname: git-summary\n# A comment\ndescription: ${WHEN}\n---\n\nText:  x\n`,
  );
  expectFix(
    checkOf('skill-allowed-tools-commas'),
    fields('allowed-tools: "Bash, Read,Write" # note, this'),
    fields('allowed-tools: "Bash Read Write" # note, this'),
  );
  expectFix(checkOf('skill-key-unknown'), fields('licence: MIT'), fields('license: MIT'));
});

test('the findings of an own skill name its place in the agent', () => {
  const found = checkAgent({ skills: { 'git-summary': described('Fetches the price.') } });
  expect(found.map(({ file, rule, line }) => [file, rule, line])).toEqual([
    ['skills/git-summary/SKILL.md', 'skill-description-when', 3],
  ]);
});
