import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingFields } from '../../src/server/pi-settings/setting-fields.ts';
import type { AgentPiSettings, PiSetting } from '../../src/shared/api/pi-settings.ts';
import type { JsonEdit } from '../../src/shared/json-edit.ts';
import { createRandom } from '../bench/make-text.ts';
import { editFile, undoEdits } from '../support/json-edits.ts';
import { shareServer } from '../support/shared-server.ts';

const { makeRoot, serve } = shareServer({ asOperator: true });

const ROUTE = '/api/agents/scout/settings';
const FILE = 'agents/scout/settings.json';

/** As a person writes it: another indentation, two settings on a line, and keys that pi doesn't know. */
const TEXT =
  '\uFEFF{\r\n' +
  '\t"mine" : {"deep": [1, 2,  3]},\r\n' +
  '\t"defaultProvider": "openai", "defaultModel": "gpt-5.4",\r\n' +
  '\t"compaction": { "keepRecentTokens": 30000 }\r\n' +
  '}\r\n';

const serveSettings = async (text?: string) => {
  const rootPath = await makeRoot(text === undefined ? {} : { [FILE]: text });
  const server = await serve(rootPath);
  const path = join(rootPath, FILE);
  return {
    ...server,
    rootPath,
    path,
    text: () => readFile(path, 'utf8'),
    list: async (): Promise<AgentPiSettings> => (await server.call('GET', ROUTE)).body,
    change: (edits: readonly JsonEdit[], more: object = {}) =>
      editFile(server, { json: 'settings.json', edits, ...more }),
    undo: (made: { readonly change: string | null }) => undoEdits(server, made),
  };
};

const settingIn = ({ settings }: AgentPiSettings, name: string): PiSetting | undefined =>
  settings.find(({ path }) => path.join('.') === name);

test('lists every setting of pi’s schema with its default and its value, and names other keys', async () => {
  const { list } = await serveSettings(TEXT);
  const read = await list();
  expect(read).toMatchObject({ exists: true, etag: expect.any(String), otherKeys: ['mine'] });
  expect(settingIn(read, 'compaction.keepRecentTokens')).toEqual({
    path: ['compaction', 'keepRecentTokens'],
    kind: 'number',
    minimum: 0,
    isInteger: true,
    default: 20_000,
    value: 30_000,
  });
  expect(settingIn(read, 'quietStartup')).toMatchObject({ kind: 'choice', options: [true, false, 'header'] });
  expect(settingIn(read, 'httpIdleTimeoutMs')).toMatchObject({ kind: 'number', options: ['disabled'] });
  expect(settingIn(read, 'images.blockImages')).toMatchObject({ kind: 'switch', default: false });
  expect(settingIn(read, 'skills')).toMatchObject({ kind: 'list' });
  // They have a route of their own.
  expect(settingIn(read, 'packages')).toBeUndefined();
  // pi writes these, and each is of one computer.
  expect(settingIn(read, 'deviceId')).toBeUndefined();
  // What pi replaced is not offered.
  expect(settingIn(read, 'queueMode')).toBeUndefined();
  expect(read.settings.length).toBeGreaterThan(60);
});

test('a default that the schema names is one that it accepts', () => {
  for (const { setting, accepts } of settingFields())
    if (setting.default !== undefined)
      expect([setting.path, accepts(setting.default)]).toEqual([setting.path, true]);
});

test('changes only the bytes of the settings that it names, and an undo restores all of them', async () => {
  const { change, text, undo, list } = await serveSettings(TEXT);
  const made = await change([
    { path: ['compaction', 'keepRecentTokens'], value: 10_000 },
    { path: ['defaultModel'] },
    { path: ['retry', 'provider', 'timeoutMs'], value: 90_000 },
  ]);
  expect(made.code).toBe(undefined);
  const read = await list();
  expect(settingIn(read, 'compaction.keepRecentTokens')?.value).toBe(10_000);
  expect(settingIn(read, 'defaultModel')?.value).toBeUndefined();
  const after = await text();
  expect(after).toContain('\t"mine" : {"deep": [1, 2,  3]},\r\n\t"defaultProvider": "openai"');
  expect(after).toContain('"compaction": { "keepRecentTokens": 10000 }');
  expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  expect(JSON.parse(after.slice(1))).toEqual({
    mine: { deep: [1, 2, 3] },
    defaultProvider: 'openai',
    compaction: { keepRecentTokens: 10_000 },
    retry: { provider: { timeoutMs: 90_000 } },
  });
  expect((await undo(made)).body.applied).toBe(1);
  expect(await text()).toBe(TEXT);
  expect((await undo(made)).body).toEqual({ change: null, applied: 0, unchanged: 1, refused: [] });
  expect((await list()).etag).not.toBe(read.etag);
});

test('the first setting creates the file, and its undo removes it', async () => {
  const { change, undo, list, text } = await serveSettings();
  expect(await list()).toMatchObject({ exists: false, etag: null, otherKeys: [] });
  const made = await change([{ path: ['hideThinkingBlock'], value: true }], { ifNoneMatch: '*' });
  expect(JSON.parse(await text())).toEqual({ hideThinkingBlock: true });
  expect((await undo(made)).body.applied).toBe(1);
  expect((await list()).exists).toBe(false);
});

test.each([
  [{ path: ['hideThinkingBlock'], value: 'yes' }, 'hideThinkingBlock must be true or false.'],
  [
    { path: ['compaction', 'reserveTokens'], value: -1 },
    'compaction.reserveTokens must be a whole number from 0.',
  ],
  [
    { path: ['httpIdleTimeoutMs'], value: 'never' },
    'httpIdleTimeoutMs must be a number from 0 or "disabled".',
  ],
  [
    { path: ['transport'], value: 'pigeon' },
    'transport must be one of "auto", "sse", "websocket", "websocket-cached".',
  ],
  [{ path: ['enabledModels'], value: [1] }, 'enabledModels must be a list of strings.'],
])('refuses %j, changes nothing, and says what pi accepts', async (wrong, sentence) => {
  const { change, text } = await serveSettings(TEXT);
  const { code, error } = await change([{ path: ['defaultModel'], value: 'x' }, wrong]);
  expect([code, error]).toEqual(['pi_setting_refused', sentence]);
  expect(await text()).toBe(TEXT);
});

test('refuses a setting that pi doesn’t know, and one that pi writes itself', async () => {
  const { change } = await serveSettings(TEXT);
  for (const path of [
    ['mine'],
    ['deviceId'],
    ['compaction'],
    ['__proto__', 'x'],
    ['compaction', 'enabled', 'x'],
    ['compaction', 0],
  ])
    expect((await change([{ path, value: true }])).code).toBe('pi_setting_unknown');
  // It can be removed.
  expect((await change([{ path: ['mine'] }])).body.applied).toBe(1);
});

test('refuses to overwrite the edit of another program', async () => {
  const { change, list, path, text } = await serveSettings(TEXT);
  const { etag } = await list();
  await writeFile(path, '{"theme":"dark"}');
  const { code } = await change([{ path: ['theme'], value: 'light' }], { ifMatch: etag ?? '' });
  expect(code).toBe('file_changed');
  expect(await text()).toBe('{"theme":"dark"}');
});

test('says why a file can’t be changed, and leaves it', async () => {
  const { change, list, path, text } = await serveSettings('{"theme":');
  expect((await list()).problem).toMatch(/^settings.json is not a JSON object, so pi ignores it/);
  expect((await change([{ path: ['theme'], value: 'x' }])).code).toBe('pi_settings_unreadable');
  expect(await text()).toBe('{"theme":');
  await writeFile(path, '{"compaction": 5}');
  expect((await change([{ path: ['compaction', 'enabled'], value: true }])).code).toBe(
    'pi_settings_unreadable',
  );
  expect(await text()).toBe('{"compaction": 5}');
});

test('never shows a secret, and a change of another setting keeps it', async () => {
  const secret = `sk-ant-api03-${'Zq4T8vW1nB6x'.repeat(6)}`;
  const { call, change, text } = await serveSettings(
    JSON.stringify({
      httpProxy: 'http://me:hunter22@proxy.example:3128',
      shellCommandPrefix: `KEY=${secret}`,
    }),
  );
  const { body } = await call('GET', ROUTE);
  expect(settingIn(body, 'httpProxy')).toMatchObject({ isHidden: true });
  expect(settingIn(body, 'shellCommandPrefix')).toMatchObject({ isHidden: true });
  const changed = await change([{ path: ['theme'], value: 'dark' }]);
  const json = await call('GET', '/api/agents/scout/json/settings.json');
  expect(json.body.hidden).toHaveLength(2);
  for (const each of [body, changed.body, json.body]) {
    expect(JSON.stringify(each)).not.toContain(secret);
    expect(JSON.stringify(each)).not.toContain('hunter22');
  }
  expect(await text()).toContain(secret);
});

test('doesn’t write through a symlink', async () => {
  const { change, path, rootPath } = await serveSettings();
  await writeFile(join(rootPath, 'other.json'), '{}');
  await symlink('../../other.json', path);
  expect((await change([{ path: ['theme'], value: 'dark' }])).code).toBe('linked_file');
  expect(await readFile(join(rootPath, 'other.json'), 'utf8')).toBe('{}');
});

test('of many edits by form and by another program none is lost, and what pi doesn’t know stays', {
  tags: 'slow',
}, async () => {
  const { change, path, text, list } = await serveSettings('{\n  "mine": "kept"\n}\n');
  const random = createRandom(38);
  const fields = settingFields().filter(({ setting: { kind } }) => kind === 'switch' || kind === 'number');
  const expected = new Map<string, unknown>();
  let others = 0;
  for (let count = 0; count < 500; count++) {
    if (random() < 0.3) {
      // Another program writes the file as it likes.
      const value = { ...JSON.parse(await text()), [`other${others}`]: count };
      others++;
      await writeFile(path, JSON.stringify(value, null, random() < 0.5 ? 4 : undefined));
      continue;
    }
    const field = fields[Math.floor(random() * fields.length)];
    if (!field) throw new Error('there are no settings');
    const { path: keys, kind } = field.setting;
    const value =
      random() < 0.2 ? undefined : kind === 'switch' ? random() < 0.5 : Math.floor(random() * 9_000);
    const etag = (await list()).etag ?? '';
    const { error } = await change([{ path: keys, ...(value === undefined ? {} : { value }) }], {
      ifMatch: etag,
    });
    expect(error).toBe(undefined);
    if (value === undefined) expected.delete(keys.join('.'));
    else expected.set(keys.join('.'), value);
  }
  const read = await list();
  const values = read.settings.flatMap(({ path: keys, value }) =>
    value === undefined ? [] : [[keys.join('.'), value] as const],
  );
  expect(new Map(values)).toEqual(expected);
  expect(read.otherKeys).toEqual(['mine', ...Array.from({ length: others }, (_, at) => `other${at}`)]);
});
