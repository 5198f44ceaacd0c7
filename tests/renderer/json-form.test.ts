import { expect, test } from 'vitest';
import { MCP_SERVER } from '../../src/renderer/src/features/mcp/server-kind.ts';
import {
  modelKind,
  overrideKind,
  PROVIDER,
  removalOf,
} from '../../src/renderer/src/features/pi-models/entry-kinds.ts';
import {
  type EntryKind,
  entryChange,
  entryChangeIn,
  entryIn,
} from '../../src/renderer/src/json-form/entry-kind.ts';
import {
  type Draft,
  type Drafts,
  draftsOf,
  isComplete,
  keyOf,
  problemOf,
  rowProblemsOf,
} from '../../src/renderer/src/json-form/fields.ts';
import { adviceOn, type FormRow, makeRow } from '../../src/renderer/src/json-form/rows.ts';
import type { JsonFile } from '../../src/shared/api/json-files.ts';
import type { JsonEdit } from '../../src/shared/json-edit.ts';

/** A variable as pi reads it. */
const inBraces = (name: string) => `$\{${name}}`;

const fileOf = (value: JsonFile['value'], hidden: JsonFile['hidden'] = []): JsonFile => ({
  ...{ file: 'mcp.json', exists: true, etag: '"x"', text: '', problems: [] },
  value,
  hidden,
});

const at = (...path: (string | number)[]) => ['mcpServers', ...path];

const SERVERS = fileOf(
  {
    mcpServers: {
      files: {
        command: 'npx',
        args: ['-y', '•••', ''],
        env: { KEY: '•••', HOME: '$HOME' },
        description: 'Files.\nOf the project.',
        type: 'stdio',
      },
      docs: { url: '•••', headers: { Authorization: '•••' } },
      broken: 'text',
    },
  },
  [
    { hidden: 'text', path: at('files', 'args', 1) },
    { hidden: 'text', instead: inBraces('KEY'), path: at('files', 'env', 'KEY') },
    { hidden: 'text', shown: 'https://docs.example', path: at('docs', 'url') },
    { hidden: 'text', path: at('docs', 'headers', 'Authorization') },
  ],
);

interface Edit {
  readonly name?: string;
  readonly choice?: string;
  readonly drafts?: (drafts: Drafts) => Record<string, Draft>;
}

/** The edits when a person does this to the form of an entry. */
const change = (kind: EntryKind, file: JsonFile, oldName: string | null, edit: Edit = {}): JsonEdit[] => {
  const entry = entryIn(kind, file, oldName);
  const drafts = draftsOf(kind.fields, entry);
  return entryChange(kind, {
    oldName,
    name: edit.name ?? oldName ?? '',
    choice: edit.choice ?? kind.choice?.of(entry.value),
    drafts: { ...drafts, ...edit.drafts?.(drafts) },
    file,
  });
};

const server = (name: string | null, edit?: Edit) => change(MCP_SERVER, SERVERS, name, edit);
const rows = (draft: Draft | undefined) => draft as readonly FormRow[];
const typed = (name: string, text: string): FormRow => ({ ...makeRow(name), text });

test('a form that nobody touched changes nothing', () => {
  for (const name of ['files', 'docs']) expect(server(name)).toEqual([]);
  for (const list of ['args', 'env'])
    expect(server('files', { drafts: (all) => ({ [list]: [...rows(all[list]), makeRow()] }) })).toEqual([]);
});

test('only what differs is edited, and hidden values stay', () => {
  const files = (drafts: Edit['drafts']) => server('files', drafts && { drafts });
  expect(files(() => ({ command: ' uvx ' }))).toEqual([{ path: at('files', 'command'), value: 'uvx' }]);
  expect(files(({ args }) => ({ args: rows(args).slice(1) }))).toEqual([{ path: at('files', 'args', 0) }]);
  expect(
    files(({ args }) => ({ args: [...rows(args).slice(0, 2), typed('', 'new'), typed('', 'er')] })),
  ).toEqual([
    { path: at('files', 'args', 2) },
    { path: at('files', 'args', 2), value: 'new' },
    { path: at('files', 'args', 3), value: 'er' },
  ]);
  expect(files(() => ({ args: [] }))).toEqual([{ path: at('files', 'args') }]);
  expect(files(({ env }) => ({ env: [...rows(env).slice(0, 1), typed(' NEW ', 'x')] }))).toEqual([
    { path: at('files', 'env', 'HOME') },
    { path: at('files', 'env', 'NEW'), value: 'x' },
  ]);
  expect(files(() => ({ env: [] }))).toEqual([{ path: at('files', 'env') }]);
  expect(server('files', { name: 'more', drafts: () => ({ description: '' }) })).toEqual([
    { path: at('files', 'description') },
    { path: at('files'), rename: 'more' },
  ]);
});

test('another kind of server takes away what belongs to the first', () => {
  expect(server('files', { choice: 'http', drafts: () => ({ url: 'https://x.example' }) })).toEqual([
    { path: at('files', 'command') },
    { path: at('files', 'args') },
    { path: at('files', 'env') },
    { path: at('files', 'url'), value: 'https://x.example' },
    { path: at('files', 'type') },
  ]);
  expect(server('docs', { choice: 'stdio', drafts: () => ({ command: 'x' }) })).toEqual([
    { path: at('docs', 'command'), value: 'x' },
    { path: at('docs', 'url') },
    { path: at('docs', 'headers') },
  ]);
});

test('a new entry has what was typed, and one that isn’t an object is replaced', () => {
  const drafts = () => ({
    url: 'https://docs.example',
    headers: [typed('X-Key', '$KEY')],
    description: 'Docs.',
    command: 'never mind',
  });
  expect(server(null, { name: 'new', choice: 'http', drafts })).toEqual([
    {
      path: at('new'),
      value: { url: 'https://docs.example', headers: { 'X-Key': '$KEY' }, description: 'Docs.' },
    },
  ]);
  expect(server('broken', { drafts: () => ({ command: 'x' }) })).toEqual([
    { path: at('broken'), value: { command: 'x' } },
  ]);
});

test('says which field is wrong, and when the form is complete', () => {
  const check = (name: string | null, choice: string, drafts: Record<string, Draft>) => {
    const entry = entryIn(MCP_SERVER, SERVERS, name);
    const fields = MCP_SERVER.fields.filter(({ of }) => of === undefined || of === choice);
    const all = { ...draftsOf(MCP_SERVER.fields, entry), ...drafts };
    const problems = fields.flatMap((field) => problemOf(field, entry, all[keyOf(field)]) ?? []);
    return [isComplete(fields, entry, all), ...problems];
  };
  expect(check(null, 'stdio', {})).toEqual([false]);
  expect(check(null, 'stdio', { command: 'x' })).toEqual([true]);
  expect(check(null, 'http', { url: 'x' })).toEqual([
    false,
    'Enter an address that starts with https:// or http://.',
  ]);
  // A hidden address is enough.
  expect(check('docs', 'http', {})).toEqual([true]);
  for (const timeout of ['0', '-1', 'soon', 'Infinity', '1e999'])
    expect(check('docs', 'http', { timeout })).toEqual([false, 'Enter a number above 0.']);
  for (const timeout of ['', ' ', '0.5', '300']) expect(check('docs', 'http', { timeout })).toEqual([true]);
  const env = MCP_SERVER.fields.find((field) => keyOf(field) === 'env');
  if (!env) throw new Error('no field');
  const wrong = [typed('A', '1'), typed('A', '2'), typed('', '3'), makeRow()];
  expect([...rowProblemsOf(env, wrong).values()]).toEqual(['duplicate', 'nameMissing']);
});

test('advises a variable for a secret, and warns before it is removed from the file', () => {
  const [key] = rows(draftsOf(MCP_SERVER.fields, entryIn(MCP_SERVER, SERVERS, 'files')).env);
  if (!key) throw new Error('no row');
  expect(adviceOn('files', 'env', key)).toEqual({ instead: inBraces('KEY'), state: undefined });
  expect(adviceOn('files', 'env', { ...key, text: '$KEY' }).state).toBe('moved');
  expect(adviceOn('my-docs', 'headers', typed('Authorization', 'Bearer abcdef123456'))).toEqual({
    instead: `Bearer ${inBraces('MY_DOCS_TOKEN')}`,
    state: 'literal',
  });
  expect(adviceOn('files', 'env', typed('REGION', 'eu-west-1-long')).state).toBeUndefined();
});

const MODELS = fileOf(
  {
    providers: {
      local: {
        baseUrl: '•••',
        apiKey: '•••',
        headers: { 'X-Key': '•••', 'X-Team': '$TEAM' },
        models: [
          { id: 'old' },
          {
            id: 'qwen',
            reasoning: true,
            input: ['text'],
            contextWindow: 1.5,
            cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
          },
        ],
        modelOverrides: { gpt: { cost: { input: 1 } } },
      },
      twice: { models: [{ id: 'm' }, { id: 'n' }, { id: 'm' }] },
      openai: { modelOverrides: { gpt: {} } },
    },
  },
  [
    { hidden: 'text', shown: 'https://x', path: ['providers', 'local', 'baseUrl'] },
    { hidden: 'text', path: ['providers', 'local', 'apiKey'] },
    { hidden: 'text', path: ['providers', 'local', 'headers', 'X-Key'] },
  ],
);

const LOCAL = ['providers', 'local'];
const QWEN = [...LOCAL, 'models', 1];
const GPT = [...LOCAL, 'modelOverrides', 'gpt'];
const NO_PRICES = { 'cost.input': '', 'cost.output': '', 'cost.cacheRead': '', 'cost.cacheWrite': '' };

const provider = (edit?: Edit) => change(PROVIDER, MODELS, 'local', edit);
const qwen = (edit?: Edit) => change(modelKind('local'), MODELS, 'qwen', edit);
const gpt = (edit?: Edit) => change(overrideKind('local'), MODELS, 'gpt', edit);
const drafts = (some: Record<string, Draft>): Edit => ({ drafts: () => some });

test.each<[string, JsonEdit[], JsonEdit[]]>([
  ['nothing of a provider', provider(), []],
  ['nothing of a model', qwen(), []],
  ['nothing of an override', gpt(), []],
  ['a key', provider(drafts({ apiKey: '$KEY' })), [{ path: [...LOCAL, 'apiKey'], value: '$KEY' }]],
  ['no key', provider(drafts({ apiKey: null })), [{ path: [...LOCAL, 'apiKey'] }]],
  ['another id', provider({ name: 'home' }), [{ path: LOCAL, rename: 'home' }]],
  [
    'other headers',
    provider({
      drafts: ({ headers }) => ({ headers: [...rows(headers).slice(0, 1), typed('X-New', '$N')] }),
    }),
    [{ path: [...LOCAL, 'headers', 'X-Team'] }, { path: [...LOCAL, 'headers', 'X-New'], value: '$N' }],
  ],
  [
    'numbers and answers',
    qwen(drafts({ contextWindow: '32,000', maxTokens: '4000', reasoning: 'unset', input: 'yes' })),
    [
      { path: [...QWEN, 'reasoning'] },
      { path: [...QWEN, 'input', 1], value: 'image' },
      { path: [...QWEN, 'contextWindow'], value: 32_000 },
      { path: [...QWEN, 'maxTokens'], value: 4000 },
    ],
  ],
  ['one price', qwen(drafts({ 'cost.input': '$0.5' })), [{ path: [...QWEN, 'cost', 'input'], value: 0.5 }]],
  [
    'an empty price of a model',
    qwen(drafts({ 'cost.output': '' })),
    [{ path: [...QWEN, 'cost', 'output'], value: 0 }],
  ],
  ['no price', qwen(drafts(NO_PRICES)), [{ path: [...QWEN, 'cost'] }]],
  [
    'the first price of a model',
    change(modelKind('local'), MODELS, 'old', drafts({ 'cost.input': '2' })),
    [
      {
        path: [...LOCAL, 'models', 0, 'cost'],
        value: { input: 2, output: 0, cacheRead: 0, cacheWrite: 0 },
      },
    ],
  ],
  [
    'an empty price of an override',
    gpt(drafts({ 'cost.input': '', 'cost.output': '3' })),
    [{ path: [...GPT, 'cost', 'input'] }, { path: [...GPT, 'cost', 'output'], value: 3 }],
  ],
  ['the id of a model', qwen({ name: 'qwen-2' }), [{ path: [...QWEN, 'id'], value: 'qwen-2' }]],
  [
    'the id of a model with an earlier one of the same id',
    change(modelKind('twice'), MODELS, 'm', { name: 'x' }),
    [
      { path: ['providers', 'twice', 'models', 2, 'id'], value: 'x' },
      { path: ['providers', 'twice', 'models', 0] },
    ],
  ],
  [
    'a new provider',
    change(PROVIDER, MODELS, null, { name: 'new' }),
    [{ path: ['providers', 'new'], value: {} }],
  ],
  [
    'a new model',
    change(modelKind('local'), MODELS, null, { name: 'new', ...drafts({ name: 'New' }) }),
    [{ path: [...LOCAL, 'models', 2], value: { id: 'new', name: 'New' } }],
  ],
  [
    'the first model',
    change(modelKind('openai'), MODELS, null, { name: 'new' }),
    [{ path: ['providers', 'openai', 'models'], value: [{ id: 'new' }] }],
  ],
])('edits only what was typed: %s', (_, made, edits) => {
  expect(made).toEqual(edits);
});

test('the last entry of a provider takes the provider along if nothing else is in it', () => {
  expect(removalOf(overrideKind('openai'), MODELS, 'gpt')).toEqual([{ path: ['providers', 'openai'] }]);
  expect(removalOf(overrideKind('local'), MODELS, 'gpt')).toEqual([{ path: GPT }]);
  expect(removalOf(modelKind('twice'), MODELS, 'm')).toEqual([
    { path: ['providers', 'twice', 'models', 2] },
    { path: ['providers', 'twice', 'models', 0] },
  ]);
  expect(removalOf(PROVIDER, MODELS, 'local')).toEqual([{ path: LOCAL }]);
});

test('a form is saved over another program’s edit, but not over another list of arguments', () => {
  const kind = modelKind('local');
  const entry = entryIn(kind, MODELS, 'qwen');
  const edited = {
    ...{ oldName: 'qwen', name: 'qwen', choice: undefined, file: MODELS },
    drafts: { ...draftsOf(kind.fields, entry), maxTokens: '9' },
  };
  const moved = fileOf({ providers: { local: { models: [{ id: 'qwen', name: 'theirs' }] } } });
  expect(entryChangeIn(kind, edited, moved)).toEqual([
    { path: [...LOCAL, 'models', 0, 'maxTokens'], value: 9 },
  ]);
  expect(entryChangeIn(kind, edited, fileOf({ providers: {} }))).toBe(undefined);
  const twice = fileOf({ providers: { local: { models: [{ id: 'qwen' }, { id: 'x' }, { id: 'qwen' }] } } });
  expect(entryChangeIn(kind, { ...edited, name: 'new' }, twice)).toEqual([
    { path: [...LOCAL, 'models', 2, 'maxTokens'], value: 9 },
    { path: [...LOCAL, 'models', 2, 'id'], value: 'new' },
    { path: [...LOCAL, 'models', 0] },
  ]);

  const all = draftsOf(MCP_SERVER.fields, entryIn(MCP_SERVER, SERVERS, 'files'));
  const args = { ...{ oldName: 'files', name: 'files', choice: 'stdio', file: SERVERS } };
  const fewer = { ...args, drafts: { ...all, args: rows(all.args).slice(1) } };
  const theirs = fileOf({ mcpServers: { files: { command: 'npx', args: ['other'] } } });
  expect(entryChangeIn(MCP_SERVER, fewer, theirs)).toBe(undefined);
  expect(entryChangeIn(MCP_SERVER, { ...args, drafts: { ...all, command: 'uvx' } }, theirs)).toEqual([
    { path: at('files', 'command'), value: 'uvx' },
  ]);
});
