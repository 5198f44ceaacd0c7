import { execFileSync } from 'node:child_process';
import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SharedPrompt, SharedTheme } from '../../../src/shared/api/catalog.ts';
import { makeRoot, plant } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { themeText } from '../../support/theme.ts';

/** A server of a root with these files, and its lists. */
const start = async (tree: Parameters<typeof makeRoot>[0]) => {
  const root = await makeRoot(tree);
  const server = await serve(root);
  const list = async <T extends { readonly name: string }>(kind: 'prompts' | 'themes') => {
    const { status, body } = await server.call('GET', `/api/catalog/${kind}`);
    expect([status, body.code]).toEqual([200, undefined]);
    return body[kind] as T[];
  };
  return {
    root,
    ...server,
    prompts: () => list<SharedPrompt>('prompts'),
    themes: () => list<SharedTheme>('themes'),
  };
};

const rulesOf = ({ diagnostics }: Pick<SharedPrompt, 'diagnostics'>) =>
  diagnostics.map(({ severity, rule }) => `${severity} ${rule}`);

const messagesOf = ({ diagnostics }: Pick<SharedPrompt, 'diagnostics'>) =>
  diagnostics.map(({ message }) => message);

describe('shared prompt templates', () => {
  test('are listed with the command, description and hint that pi shows', async () => {
    const { prompts } = await start({
      'shared/prompts/review.md':
        '---\ndescription: Review the diff\nargument-hint: "[focus]"\n---\nReview $1.\n',
      'shared/prompts/plain.md': `\n  ${'Say it again. '.repeat(9)}\nmore`,
      'shared/prompts/short.md': '\uFEFF---\r\nargument-hint: ""\r\n---\r\n\r\nFirst line.\r\nSecond.',
      'shared/prompts/empty.md': '',
      'shared/prompts/rule.md': '----\nA Markdown rule is no frontmatter.',
    });
    expect(await prompts()).toEqual([
      { name: 'empty.md', command: 'empty', path: 'shared/prompts/empty.md', diagnostics: [] },
      {
        name: 'plain.md',
        command: 'plain',
        description: `  ${'Say it again. '.repeat(9)}`.slice(0, 60).concat('...'),
        path: 'shared/prompts/plain.md',
        diagnostics: [],
      },
      {
        name: 'review.md',
        command: 'review',
        description: 'Review the diff',
        argumentHint: '[focus]',
        path: 'shared/prompts/review.md',
        diagnostics: [],
      },
      {
        name: 'rule.md',
        command: 'rule',
        description: '----',
        path: 'shared/prompts/rule.md',
        diagnostics: [],
      },
      {
        name: 'short.md',
        command: 'short',
        description: 'First line.',
        path: 'shared/prompts/short.md',
        diagnostics: [],
      },
    ]);
  });

  test('are the files that pi loads: Markdown files of the folder itself, linked or not', async () => {
    const { root, prompts } = await start({
      'shared/prompts/one.md': 'x',
      'shared/prompts/notes.txt': 'x',
      'shared/prompts/UPPER.MD': 'x',
      'shared/prompts/below/two.md': 'x',
      'shared/prompts/directory.md/x.md': 'x',
      'shared/prompts/.hidden.md': 'x',
      'shared/prompts/dangling.md': { link: 'nowhere' },
      'shared/prompts/linked.md': { link: 'one.md' },
      'shared/prompts/to-directory.md': { link: 'below' },
    });
    execFileSync('mkfifo', [join(root, 'shared/prompts/pipe.md')]);
    expect((await prompts()).map(({ name }) => name)).toEqual(['linked.md', 'one.md']);
  });

  test('report what pi rejects or ignores', async () => {
    const { prompts } = await start({
      'shared/prompts/yaml.md': '---\ndescription: "open\n---\nText.',
      'shared/prompts/unclosed.md': '---\ndescription: x\nText.',
      'shared/prompts/list.md': '---\nargument-hint: [focus]\ndescription: 3\n---\nText.',
      'shared/prompts/new.md': 'x',
      'shared/prompts/two words.md': 'x',
      'shared/prompts/latin.md': Buffer.from([0x63, 0x61, 0x66, 0xe9]),
    });
    const found = Object.fromEntries((await prompts()).map((one) => [one.command, one]));
    const rules = Object.fromEntries(Object.entries(found).map(([command, one]) => [command, rulesOf(one)]));
    expect(rules).toEqual({
      yaml: ['error prompt-template-frontmatter'],
      unclosed: ['warning prompt-template-field'],
      list: ['warning prompt-template-field', 'warning prompt-template-field'],
      new: ['warning prompt-template-name'],
      'two words': ['warning prompt-template-name'],
      latin: ['warning prompt-template-unreadable'],
    });
    expect(found.unclosed?.description).toBe('---');
    expect(found.list?.description).toBe('Text.');
    expect(messagesOf(found.new as SharedPrompt)).toEqual([
      'pi has its own /new command, which takes precedence in pi’s terminal. Rename the file.',
    ]);
  });

  test('say nothing of what a link leads to outside the root', async () => {
    const outside = await makeTempDirectory();
    await plant(outside, { 'secret.md': '---\ndescription: secret\n---\n' });
    const { prompts, call } = await start({ 'shared/prompts/x.md': { link: join(outside, 'secret.md') } });
    const [found] = await prompts();
    expect(found && rulesOf(found)).toEqual(['warning prompt-template-unreadable']);
    expect(found).not.toHaveProperty('description');
    const text = await call('GET', '/api/catalog/prompts/x.md/text');
    expect([text.status, text.body.code]).toEqual([403, 'outside_root']);
  });

  test('a folder that is missing, a file or empty has none, and nothing is created', async () => {
    const { root, prompts } = await start({});
    expect(await prompts()).toEqual([]);
    await expect(rename(join(root, 'shared/prompts'), join(root, 'x'))).rejects.toThrow('ENOENT');
    await writeFile(join(root, 'shared/prompts'), '');
    expect(await prompts()).toEqual([]);
  });

  test('the next request shows what another program wrote, linked or removed', async () => {
    const { root, prompts } = await start({ 'shared/prompts': null, 'elsewhere/x.md': 'one' });
    const path = join(root, 'shared/prompts/x.md');
    for (let round = 0; round < 5; round++) {
      await writeFile(path, `round ${round}`);
      expect(await prompts()).toMatchObject([{ description: `round ${round}` }]);
      await unlink(path);
      expect(await prompts()).toEqual([]);
      await symlink('../../elsewhere/x.md', path);
      await writeFile(join(root, 'elsewhere/x.md'), `linked ${round}`);
      expect(await prompts()).toMatchObject([{ description: `linked ${round}` }]);
      await rm(join(root, 'shared/prompts'), { recursive: true });
      expect(await prompts()).toEqual([]);
      await mkdir(join(root, 'shared/prompts'));
    }
  });

  test('are read as text, also from an agent', async () => {
    const { call } = await start({
      'shared/prompts/review.md': 'Review.',
      'agents/scout/prompts/mine.md': '---\ndescription: My own\n---\nMine.',
    });
    expect((await call('GET', '/api/catalog/prompts/review.md/text')).body).toEqual({
      name: 'review.md',
      description: 'Review.',
      path: 'shared/prompts/review.md',
      text: 'Review.',
      diagnostics: [],
    });
    expect((await call('GET', '/api/catalog/prompts/mine.md/text?agent=scout')).body).toMatchObject({
      description: 'My own',
      path: 'agents/scout/prompts/mine.md',
    });
  });
});

describe('shared themes', () => {
  test('are listed with the name that the setting selects', async () => {
    const { themes } = await start({
      'shared/themes/quiet.json': themeText('quiet', { appearance: 'dark' }),
      'shared/themes/other.json': `\uFEFF${themeText('bright')}`,
      'shared/themes/notes.md': '',
    });
    expect(await themes()).toEqual([
      {
        name: 'other.json',
        themeName: 'bright',
        description: 'bright',
        path: 'shared/themes/other.json',
        diagnostics: [],
      },
      {
        name: 'quiet.json',
        themeName: 'quiet',
        description: 'quiet, for dark terminals',
        path: 'shared/themes/quiet.json',
        diagnostics: [],
      },
    ]);
  });

  test.each([
    ['{', 'It is not JSON.'],
    ['[]', 'It is not an object.'],
    [
      themeText('x', { colors: { accent: undefined, border: undefined } }),
      'It doesn’t define these colors: "accent" and "border".',
    ],
    [themeText('x', { colors: { acent: '' } }), 'pi doesn’t recognize "acent".'],
    [themeText('a/b'), 'The value of "name" is missing or wrong.'],
    [themeText(undefined), 'The value of "name" is missing or wrong.'],
    [themeText('x', { colors: { accent: 256 } }), 'The value of "colors.accent" is missing or wrong.'],
    [
      themeText('x', { colors: { accent: 'blue' } }),
      'The color "accent" can’t be used: "vars" has no "blue".',
    ],
    [
      themeText('x', { vars: { a: 'b', b: 'a' }, colors: { accent: 'a' } }),
      'The color "accent" can’t be used: its variable "a" refers back to itself.',
    ],
    [
      themeText('x', { colors: { accent: '#12345' } }),
      'The color "accent" can’t be used: "#12345" is not a color.',
    ],
    [
      themeText('x', { colors: { accent: 'okhsl(250 160% 55%)' } }),
      'The color "accent" can’t be used: "okhsl(250 160% 55%)" is not a color.',
    ],
    ['['.repeat(100_000), 'It is not JSON.'],
  ])('are rejected as pi rejects them: %.60s', async (text, message) => {
    const { themes } = await start({ 'shared/themes/x.json': text });
    expect(await themes()).toEqual([
      {
        name: 'x.json',
        path: 'shared/themes/x.json',
        diagnostics: [
          {
            severity: 'error',
            rule: 'theme-invalid',
            message: `${message} pi refuses this theme and warns at each start.`,
          },
        ],
      },
    ]);
  });

  test.each(['#0af', '#00aaff', 'oklch(62% 0.1 200)', 'okhsl(250 60% 55%)', 39, 'primary', ''])(
    'may have the color %j',
    async (accent) => {
      const { themes } = await start({
        'shared/themes/x.json': themeText('x', {
          vars: { primary: 'second', second: 7 },
          colors: { accent },
        }),
      });
      expect(await themes()).toMatchObject([{ themeName: 'x', diagnostics: [] }]);
    },
  );

  test('with the name of pi’s own theme are ignored by pi', async () => {
    const { themes } = await start({ 'shared/themes/system.json': themeText('system') });
    expect((await themes()).map(rulesOf)).toEqual([['warning theme-name']]);
  });
});
