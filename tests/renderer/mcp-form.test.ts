import { expect, test } from 'vitest';
import {
  changeOf,
  formOf,
  problemsOf,
  type ServerForm,
} from '../../src/renderer/src/features/mcp/server-form.ts';
import { adviceOn, type FormRow, makeRow } from '../../src/renderer/src/named-values/named-values.ts';
import type { McpServerEntry } from '../../src/shared/api/mcp.ts';

/** A variable as pi reads it. */
const inBraces = (name: string) => `$\{${name}}`;

const hidden = { hidden: 'text' } as const;

const FILES: McpServerEntry = {
  ...{ name: 'files', enabled: true, transport: 'stdio', otherKeys: [], signsIn: false },
  command: 'npx',
  args: ['-y', hidden, ''],
  env: { KEY: { ...hidden, instead: inBraces('KEY') }, HOME: '$HOME' },
  description: 'Files.\nOf the project.',
};

const DOCS: McpServerEntry = {
  ...{ name: 'docs', enabled: true, transport: 'http', otherKeys: [], signsIn: false },
  url: { ...hidden, shown: 'https://docs.example' },
  headers: { Authorization: hidden },
};

/** The change when a person does this to the form of a server. */
const change = (entry: McpServerEntry | undefined, edit: (form: ServerForm) => Partial<ServerForm>) => {
  const form = formOf(entry);
  return changeOf({ ...form, ...edit(form) }, entry);
};

const typed = (name: string, text: string): FormRow => ({ ...makeRow(name), text });

test('a form that nobody touched changes nothing', () => {
  expect(change(FILES, () => ({}))).toBeUndefined();
  expect(change(DOCS, () => ({}))).toBeUndefined();
  expect(change(FILES, ({ args }) => ({ args: [...args, makeRow()] }))).toBeUndefined();
  expect(change(FILES, ({ env }) => ({ env: [...env, makeRow()] }))).toBeUndefined();
});

test('only what differs is sent, and hidden values are kept', () => {
  expect(change(FILES, () => ({ command: { text: ' uvx ' } }))).toEqual({
    name: 'files',
    server: { command: 'uvx' },
  });
  expect(change(FILES, ({ args }) => ({ args: args.slice(1) }))?.server).toEqual({
    args: [{ hidden: 'text', index: 1 }, ''],
  });
  expect(change(FILES, () => ({ args: [] }))?.server).toEqual({ args: null });
  expect(change(FILES, ({ env }) => ({ env: [...env.slice(0, 1), typed(' NEW ', 'x')] }))?.server).toEqual({
    env: { NEW: 'x', HOME: null },
  });
  expect(change(FILES, () => ({ env: [typed('KEY', inBraces('KEY'))] }))?.server).toEqual({
    env: { KEY: inBraces('KEY'), HOME: null },
  });
  expect(change(FILES, () => ({ name: 'more', description: { text: '' } }))).toEqual({
    name: 'files',
    newName: 'more',
    server: { description: null },
  });
});

test('another kind of server takes away what belongs to the first', () => {
  expect(change(FILES, () => ({ transport: 'http', url: { text: 'https://x.example' } }))?.server).toEqual({
    command: null,
    args: null,
    env: { KEY: null, HOME: null },
    url: 'https://x.example',
  });
  expect(change(DOCS, () => ({ transport: 'stdio', command: { text: 'x' } }))?.server).toEqual({
    command: 'x',
    url: null,
    headers: { Authorization: null },
  });
});

test('a new server has what was typed', () => {
  expect(
    change(undefined, () => ({
      name: 'docs ',
      transport: 'http',
      url: { text: 'https://docs.example' },
      headers: [typed('X-Key', '$KEY')],
      description: { text: 'Docs.' },
    })),
  ).toEqual({
    name: 'docs',
    server: { url: 'https://docs.example', headers: { 'X-Key': '$KEY' }, description: 'Docs.' },
  });
});

test('says which field is wrong, and when the form is complete', () => {
  const empty = formOf(undefined);
  const check = (form: Partial<ServerForm>, oldName?: string) =>
    problemsOf({ ...empty, ...form }, ['taken'], oldName);
  expect(check({}).isComplete).toBe(false);
  expect(check({ name: 'a', command: { text: 'x' } }).isComplete).toBe(true);
  expect(check({ name: 'a b', command: { text: 'x' } })).toMatchObject({ name: 'rule', isComplete: false });
  expect(check({ name: 'a b', command: { text: 'x' } }, 'a b').isComplete).toBe(true);
  expect(check({ name: 'taken' }).name).toBe('taken');
  expect(check({ name: 'a', transport: 'http', url: { text: 'x' } })).toMatchObject({ url: true });
  expect(check({ name: 'a', transport: 'http', url: { text: '', kept: hidden } }).isComplete).toBe(true);
  const rows = [typed('A', '1'), typed('A', '2'), typed('', '3'), makeRow()];
  expect([...check({ env: rows }).rows.values()]).toEqual(['duplicate', 'nameMissing']);
});

test('advises a variable for a secret, and warns before it is removed from the file', () => {
  const [key] = formOf(FILES).env;
  if (!key) throw new Error('no row');
  expect(adviceOn('files', 'env', key)).toEqual({ instead: inBraces('KEY'), state: undefined });
  expect(adviceOn('files', 'env', { ...key, text: '$KEY' }).state).toBe('moved');
  expect(adviceOn('my-docs', 'headers', typed('Authorization', 'Bearer abcdef123456'))).toEqual({
    instead: `Bearer ${inBraces('MY_DOCS_TOKEN')}`,
    state: 'literal',
  });
  expect(adviceOn('files', 'env', typed('REGION', 'eu-west-1-long')).state).toBeUndefined();
});

test('the directory, the exposure and the timeout are sent where they differ, and null brings back the default', () => {
  const set: McpServerEntry = { ...FILES, cwd: 'work', exposure: 'direct', timeout: 5 };
  expect(change(set, () => ({}))).toBeUndefined();
  expect(change(set, () => ({ cwd: { text: '' }, exposure: '', timeout: ' ' }))?.server).toEqual({
    cwd: null,
    exposure: null,
    timeout: null,
  });
  expect(change(FILES, () => ({ cwd: { text: 'a b' }, exposure: 'hidden', timeout: '2.5' }))?.server).toEqual(
    { cwd: 'a b', exposure: 'hidden', timeout: 2.5 },
  );
  // Only a program has a directory.
  expect(change(DOCS, () => ({ cwd: { text: 'x' }, timeout: '9' }))?.server).toEqual({ timeout: 9 });
  const check = (timeout: string) => problemsOf({ ...formOf(FILES), timeout }, [], 'files');
  for (const wrong of ['0', '-1', 'soon', 'Infinity', '1e999'])
    expect([wrong, check(wrong).timeout, check(wrong).isComplete]).toEqual([wrong, true, false]);
  for (const right of ['', ' ', '0.5', '300'])
    expect([right, check(right).isComplete]).toEqual([right, true]);
});
