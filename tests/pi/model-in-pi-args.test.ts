import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentModel, modelName } from '../../src/pi/agent-model.ts';
import { isModelArgument, settingsWithModel, withModel } from '../../src/pi/model-in-pi-args.ts';
import { parsePiArgs, parsePiArguments } from '../../src/pi/pi-args.ts';

const modelIn = (text: string): string | undefined => {
  const model = agentModel(parsePiArguments(text, '1.5'), undefined, {});
  return model && modelName(model);
};

describe('where the model is named', () => {
  test.each([
    ['the line after --model', '--model\ngpt-5\n', '--model\nNEW\n'],
    ['the same line', '--model gpt-5 --tools read\n', '--model NEW --tools read\n'],
    ['tabs, spaces and CRLF', '\t--model \t gpt-5  \r\n# note\r\n', '\t--model \t NEW  \r\n# note\r\n'],
    ['the last of several', '--model\na\n--model\nb\n', '--model\na\n--model\nNEW\n'],
    ['an equals sign', '--tools\nread\n--model=gpt-5\n', '--tools\nread\n--model\nNEW\n'],
    ['an equals sign between others', '-nt --model=gpt-5 -ns\n', '-nt --model NEW -ns\n'],
    ['an equals sign, in CRLF', '--model=gpt-5\r\n-ns\r\n', '--model\r\nNEW\r\n-ns\r\n'],
    ['quotes, which mean nothing', '--model\n"gpt-5"\n', '--model\nNEW\n'],
    ['a thinking level', '--model\ngpt-5:high\n', '--model\nNEW:high\n'],
    ['a comment before the value', '--model\n# which one?\n\ngpt-5\n', '--model\n# which one?\n\nNEW\n'],
    ['a byte order mark', '\uFEFF--model\ngpt-5', '\uFEFF--model\nNEW'],
    ['nothing after --model', '--tools\nread\n--model', '--tools\nread\n--model\nNEW'],
    ['a flag after --model', '--model\n--tools\nread\n', '--model\nNEW\n--tools\nread\n'],
    ['a flag after it on the line', '--model --tools read', '--model NEW --tools read'],
  ])('it is written there: %s', (_, before, after) => {
    expect(withModel(before, 'NEW')).toBe(after);
  });
});

describe('where no model is named', () => {
  test.each([
    ['an empty file', '', '--model\nNEW\n'],
    ['a byte order mark alone', '\uFEFF', '\uFEFF--model\nNEW\n'],
    ['comments', '# --model\n# gpt-5\n', '# --model\n# gpt-5\n--model\nNEW\n'],
    ['no line end at the end', '--tools\nread', '--tools\nread\n--model\nNEW\n'],
    ['CRLF', '--tools\r\nread\r\n', '--tools\r\nread\r\n--model\r\nNEW\r\n'],
    ['messages after --', '-ns\n--\n--model\n', '-ns\n--model\nNEW\n--\n--model\n'],
    ['messages on the line', '-ns -- hello\n', '-ns --model NEW -- hello\n'],
    ['a flag without its value', '-ns\n--tools\n', '-ns\n--model\nNEW\n--tools\n'],
  ])('it is added: %s', (_, before, after) => {
    expect(withModel(before, 'NEW')).toBe(after);
    expect(modelIn(after)).toBe('NEW');
  });
});

describe('a provider', () => {
  test.each([
    ['stays if the name has it', 'a/m', '--provider\na\n--model\nx\n', '--provider\na\n--model\nm\n'],
    [
      'stays for another model of the same maker',
      'claude-opus-5',
      '--provider\nopenrouter\n--model\nanthropic/claude-haiku-4-5\n',
      '--provider\nopenrouter\n--model\nclaude-opus-5\n',
    ],
    [
      'stays, and gets the name with the maker if it has the old one so',
      'anthropic/claude-opus-5',
      '--provider\nopenrouter\n--model\nanthropic/claude-haiku-4-5\n',
      '--provider\nopenrouter\n--model\nanthropic/claude-opus-5\n',
    ],
    [
      'stays, and gets the name without the maker if it has the old one so',
      'anthropic/claude-opus-5',
      '--provider\namazon-bedrock\n--model\nclaude-haiku-4-5:low\n',
      '--provider\namazon-bedrock\n--model\nclaude-opus-5:low\n',
    ],
    [
      'stays if it is the maker',
      'claude-opus-5',
      '--provider anthropic\n',
      '--provider anthropic\n--model\nclaude-opus-5\n',
    ],
    [
      'goes with its line if it can’t offer the model',
      'gpt-5',
      '# one\n--provider\nanthropic\n# two\n--model\nclaude-opus-5\n',
      '# one\n# two\n--model\ngpt-5\n',
    ],
    [
      'goes from a line with others',
      'gpt-5',
      '-ns --provider anthropic -nt\n-nc --provider anthropic\n--provider\n',
      '-ns -nt\n-nc\n--model\ngpt-5\n--provider\n',
    ],
    ['goes from before a "#"', 'gpt-5', '--provider x #1\n', ' #1\n--model\ngpt-5\n'],
    [
      'makes way for the model where a flag would take the next argument',
      'gpt-5',
      '--plan --provider anthropic hello\n',
      '--plan --model gpt-5 hello\n',
    ],
  ])('%s', (_, name, before, after) => {
    expect(withModel(before, name)).toBe(after);
  });
});

const NAME = fc.constantFrom(
  'gpt-5',
  'claude-opus-5',
  'openai/gpt-5',
  'anthropic/claude-opus-5:low',
  'a/b/c',
);
const WORD = fc.constantFrom(
  ...['--model', '--model', 'gpt-5', 'claude-haiku-4-5:high', 'openai/gpt-4o', '--model=gpt-5', '"x', "y'"],
  ...[
    '--tools',
    'read,bash',
    '--thinking',
    'low',
    '-ns',
    '--plan',
    '-p',
    '--',
    '@notes.md',
    'hello',
    '--x=1',
  ],
  ...['--mode', 'json', '-q', '#', '*', '--model=', 'ünï'],
);
const PROVIDER = fc.constantFrom('--provider', 'anthropic', 'openrouter');
const lineOf = (word: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.constantFrom('', '  ', '# --model', '# a note', '#--provider x'),
    fc
      .array(fc.tuple(word, fc.constantFrom(' ', '\t', '  ')), { minLength: 1, maxLength: 4 })
      .map((words) =>
        words.map(([text, space], at) => (at === words.length - 1 ? text : text + space)).join(''),
      ),
  );
const fileOf = (word: fc.Arbitrary<string>) =>
  fc
    .record({
      lines: fc.array(lineOf(word), { maxLength: 8 }),
      end: fc.constantFrom('\n', '\r\n'),
      bom: fc.boolean(),
      isEnded: fc.boolean(),
    })
    .map(({ lines, end, bom, isEnded }) => (bom ? '\uFEFF' : '') + lines.join(end) + (isEnded ? end : ''));

const commentsIn = (text: string) =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('#'));

/** Every argument but the model, as pi reads them. */
const othersIn = (text: string) =>
  parsePiArgs(text).flatMap((use) => {
    const isModel =
      (use.kind === 'flag' && use.flag.name === '--model') ||
      (use.kind === 'other_flag' && use.name === 'model');
    const value = 'value' in use && use.value ? [use.value.text] : [];
    return isModel ? [] : [[use.kind, use.arg.text, ...value].join(' ')];
  });

const RUNS = { numRuns: 500 };

test('whatever the file is, pi starts with the model, and everything else stays byte for byte', () => {
  fc.assert(
    fc.property(fileOf(WORD), NAME, (before, name) => {
      const after = withModel(before, name);
      expect(modelIn(after)).toBe(name.replace(/:low$/, ''));
      expect(commentsIn(after)).toEqual(commentsIn(before));
      if (!/\n/.test(before.replaceAll('\r\n', ''))) return;
      expect(/\r\n/.test(after)).toBe(/\r\n/.test(before));
    }),
    RUNS,
  );
});

test('what is written is one piece of text: what is before and after it is as it was', () => {
  fc.assert(
    fc.property(fileOf(WORD), NAME, (before, name) => {
      const after = withModel(before, name);
      const uses = parsePiArgs(before);
      // A flag that pi took as the model is a flag again, so the other arguments aren't the same.
      fc.pre(!uses.some((use) => use.kind === 'flag' && use.value?.text.startsWith('-')));
      let start = 0;
      while (start < before.length && before[start] === after[start]) start++;
      let end = 0;
      while (end < before.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
      const replaced = before.slice(start, before.length - end);
      const written = after.slice(start, after.length - end);
      // One argument at most goes, and no line end with it.
      expect(replaced).not.toMatch(/[\s]/);
      // "--" begins as "--model" does, so the difference may have one more.
      expect(written.split(/[\s]+/).filter(Boolean).length).toBeLessThanOrEqual(3);
      expect(othersIn(after)).toEqual(othersIn(before));
      if (before.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    }),
    RUNS,
  );
});

test('with providers too, pi starts with the model, and a second time changes nothing', () => {
  fc.assert(
    fc.property(fileOf(fc.oneof(WORD, PROVIDER)), NAME, (before, name) => {
      const after = withModel(before, name);
      const plain = name.replace(/:low$/, '');
      // A provider that also offers it stays before the name, and may have it without its maker.
      const bare = plain.replace(/^(openai|anthropic)\//, '');
      const names = before.includes('--provider') ? [plain, bare] : [plain];
      expect(names.some((one) => `/${modelIn(after)}`.endsWith(`/${one}`))).toBe(true);
      expect(withModel(after, name)).toBe(after);
      expect(commentsIn(after)).toEqual(commentsIn(before));
    }),
    RUNS,
  );
});

test('a provider that a flag takes as its value doesn’t count', () => {
  const before = '--model\n--tools --provider anthropic --provider';
  const after = withModel(before, 'anthropic/claude-opus-5:low');
  expect(after).toBe('--model\nanthropic/claude-opus-5:low\n--tools --provider anthropic --provider');
  expect(withModel(after, 'anthropic/claude-opus-5:low')).toBe(after);
});

test('a name that pi-args can’t hold is known', () => {
  expect(['gpt-5', 'a/b/c:free', 'gpt#5', 'ünï'].filter((name) => !isModelArgument(name))).toEqual([]);
  const wrong = ['', 'Claude Opus', '#gpt', '--model', '@x', 'a\nb', 'a\tb', 'a\u0000', '\uFEFFa'];
  expect(wrong.filter(isModelArgument)).toEqual([]);
});

test.each([
  ['a name with its provider', 'openai/gpt-5.4', 'anthropic/claude-opus-5', 'anthropic', 'claude-opus-5'],
  ['the thinking level stays', 'openai/gpt-5.4:high', 'openai/gpt-5.5', 'openai', 'gpt-5.5:high'],
  [
    'a provider that has all makers stays',
    'openrouter/anthropic/claude-haiku-4-5',
    'anthropic/claude-opus-5',
    'openrouter',
    'anthropic/claude-opus-5',
  ],
  ['a name without a provider', 'gpt-5.4', 'llama-9', undefined, 'llama-9'],
  ['a current name that can’t be read', 'two words', 'a/b', 'a', 'b'],
])('settings.json names a model by the same rules: %s', (_, current, wanted, provider, model) => {
  expect(settingsWithModel(current, wanted)).toEqual({
    ...(provider === undefined ? {} : { defaultProvider: provider }),
    defaultModel: model,
  });
});
