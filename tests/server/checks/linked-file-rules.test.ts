import { expect, test } from 'vitest';
import type { CheckedAgent } from '../../support/check.ts';
import { checkAgent, linkTo } from '../../support/check.ts';
import { makeRoot } from '../../support/root.ts';
import { testAgentRules } from '../../support/rule-cases.ts';
import { serve } from '../../support/server.ts';
import { themeText } from '../../support/theme.ts';

const ofSettings = (settings: object, more: CheckedAgent = {}): CheckedAgent => ({
  ...more,
  files: { ...more.files, 'settings.json': JSON.stringify(settings) },
});

testAgentRules([
  {
    rule: 'prompt-template-frontmatter',
    bad: { prompts: { 'x.md': '---\ndescription: "\n---\n' } },
    marks: [''],
    says: 'pi doesn’t load this template',
    good: [{ prompts: { 'x.md': '---\ndescription: "a"\n---\n', 'y.md': 'Text.' } }],
  },
  {
    rule: 'prompt-template-field',
    bad: { prompts: { 'x.md': '---\nargument-hint: [focus]\n---\n' } },
    marks: [''],
    says: 'pi ignores "argument-hint"',
    good: [{ prompts: { 'x.md': '---\nargument-hint: "[focus]"\nother: [a]\n---\n' } }],
  },
  {
    rule: 'prompt-template-name',
    bad: { prompts: { 'new.md': 'x', 'two words.md': 'x' } },
    marks: ['', ''],
    good: [
      {
        // The catalog reports those of shared ones.
        prompts: { 'news.md': 'x', 'new.md': { link: linkTo('prompts', 'new.md'), loadedAs: 'new.md' } },
      },
    ],
  },
  {
    rule: 'prompt-template-unreadable',
    bad: {
      prompts: {
        'x.md': { own: [{ severity: 'warning', rule: 'prompt-template-unreadable', message: 'No.' }] },
      },
    },
    marks: [''],
    good: [{ prompts: { 'x.md': '' } }],
  },
  {
    rule: 'theme-invalid',
    bad: { themes: { 'x.json': '{' } },
    marks: [''],
    says: 'It is not JSON. pi refuses this theme',
    good: [{ themes: { 'x.json': themeText('x') } }],
  },
  {
    rule: 'theme-name',
    bad: { themes: { 'x.json': themeText('system') } },
    marks: [''],
    good: [{ themes: { 'x.json': themeText('dark') } }],
  },
  {
    rule: 'theme-unreadable',
    bad: { themes: { 'x.json': ' '.repeat(300_000) } },
    marks: [''],
    good: [{ themes: { 'x.json': themeText('x') } }],
  },
  {
    rule: 'theme-shadowed',
    bad: {
      themes: {
        'a.json': themeText('x'),
        'b.json': themeText('x'),
        'c.json': { link: linkTo('themes', 'c.json'), loadedAs: 'x' },
      },
    },
    marks: ['', ''],
    says: 'because themes/a.json has the same name, "x"',
    good: [
      {
        files: { 'pi-args': '--no-themes\n' },
        themes: { 'a.json': themeText('x'), 'b.json': themeText('x') },
      },
      {
        themes: {
          'a.json': themeText('x'),
          'b.json': { loadedAs: 'x', isOff: true },
          'c.json': '{',
          'd.json': { link: { text: 'x', state: 'broken' } },
        },
      },
    ],
  },
  {
    rule: 'theme-missing',
    bad: ofSettings({ theme: 'dark/quiet' }, { themes: { 'x.json': themeText('x') } }),
    marks: ['"dark/quiet"'],
    says: 'no theme "quiet"',
    good: [
      ofSettings({ theme: 'light/dark' }),
      ofSettings({ theme: 'quiet' }, { themes: { 'x.json': themeText('quiet') } }),
      ofSettings({ theme: 'quiet', packages: ['npm:x'] }),
      ofSettings({ theme: 'quiet', themes: ['/elsewhere'] }),
      ofSettings({ theme: 'quiet' }, { files: { 'pi-args': '--theme\nx.json\n' } }),
      ofSettings({ theme: 7 }),
    ],
  },
  {
    rule: 'file-ignored',
    bad: {
      prompts: { 'x.md': 'x', 'y.md': 'x' },
      themes: { 'x.json': themeText('x') },
      ignoreFiles: [
        { path: 'prompts/.gitignore', text: '*.md\n!y.md\n' },
        { path: 'themes/.ignore', text: 'x.json' },
        { path: 'skills/.gitignore', text: 'y.md' },
      ],
    },
    marks: ['', ''],
    says: 'because prompts/.gitignore matches it',
    good: [{ prompts: { 'x.md': 'x' }, ignoreFiles: [{ path: 'prompts/.gitignore', text: 'y.md' }] }],
  },
  {
    rule: 'files-switched-off',
    bad: {
      files: { 'pi-args': '-np\n--no-themes\n' },
      prompts: { 'x.md': 'x' },
      themes: { 'x.json': themeText('x') },
    },
    marks: ['-np', '--no-themes'],
    says: 'This agent has 1 prompt template, but -np disables them.',
    good: [{ files: { 'pi-args': '-np\n' }, themes: { 'x.json': themeText('x') } }],
  },
]);

test('an ignore file of one kind hides nothing of another', () => {
  const agent: CheckedAgent = {
    skills: { notes: { facts: { name: 'notes', description: 'x', isHidden: false } } },
    ignoreFiles: [{ path: 'prompts/.gitignore', text: 'notes' }],
  };
  expect(checkAgent(agent, 'skill-ignored')).toEqual([]);
});

test('the files and links of an agent are checked as they are on disk', async () => {
  const root = await makeRoot({
    'shared/prompts/review.md': 'Review.',
    'shared/prompts/new.md': 'x',
    'shared/themes/quiet.json': themeText('quiet'),
    'agents/scout/prompts/review.md': { link: '../../../shared/prompts/review.md' },
    'agents/scout/prompts/new.md': { link: '../../../shared/prompts/new.md' },
    'agents/scout/prompts/gone.md': { link: '../../../shared/prompts/gone.md' },
    'agents/scout/prompts/mine.md': '---\ndescription: "\n---\n',
    'agents/scout/prompts/notes.txt': '---\ndescription: "\n---\n',
    'agents/scout/prompts/away.md': { link: '/proc/version' },
    'agents/scout/prompts/.gitignore': 'review.md\n',
    'agents/scout/themes/a.json': themeText('quiet'),
    'agents/scout/themes/quiet.json': { link: '../../../shared/themes/quiet.json' },
    'agents/scout/themes/off.json': '{',
    'agents/scout/settings.json': '{ "theme": "loud", "prompts": ["-prompts/new.md"] }',
  });
  const { call } = await serve(root);
  const found = async () =>
    (await call('GET', '/api/agents/scout/checks')).body.findings.map(
      ({ file, rule }: { file: string; rule: string }) => `${file} ${rule}`,
    );
  const expected = [
    'prompts/away.md link-outside',
    'prompts/gone.md link-broken',
    'prompts/mine.md prompt-template-frontmatter',
    'prompts/review.md file-ignored',
    'settings.json theme-missing',
    'themes/off.json theme-invalid',
    'themes/quiet.json theme-shadowed',
  ];
  expect(await found()).toEqual(expect.arrayContaining(expected));
  expect(await found()).toHaveLength(expected.length);
  const { agents } = (await call('GET', '/api/checks')).body;
  expect(agents).toEqual([{ id: 'scout', errors: 3, warnings: 3, hints: 1, stopping: 3 }]);
});
