import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseModelSettings } from '../../src/pi/agent-model.ts';
import { parseManifest } from '../../src/server/catalog/extension-manifest.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { parsePreset } from '../../src/server/presets/preset-file.ts';
import { readSessionSettings } from '../../src/server/sessions/session-dir.ts';
import { makeRoot } from '../support/root.ts';

/** JSON of the root is read up to a depth, because `JSON.parse` takes seconds and half a gigabyte beyond it. */

const nested = (fields: object, depth: number) =>
  JSON.stringify({ ...fields, x: 0 }).replace(/0}$/, `${'['.repeat(depth)}${']'.repeat(depth)}}`);

const sessionsNamedIn = async (text: string) => {
  const root = await makeRoot({ 'agents/named/settings.json': text });
  const [setting] = readSessionSettings(createRoot(root), join(root, 'agents/named'), '/home/nobody');
  return setting?.named?.isRelative;
};

test.each<[string, object, (text: string) => unknown, unknown, unknown]>([
  [
    'the package.json of an extension',
    { description: 'Counts.' },
    (text) => {
      const { description, diagnostics } = parseManifest({ text });
      return [description, diagnostics.map(({ rule }) => rule)];
    },
    ['Counts.', []],
    [undefined, ['package-json-unreadable']],
  ],
  ['the model in settings.json', { defaultModel: 'm' }, parseModelSettings, { defaultModel: 'm' }, {}],
  ['the sessions in settings.json', { sessionDir: 'kept' }, sessionsNamedIn, true, undefined],
  ['a preset', { skills: ['a'] }, (text) => parsePreset(Buffer.from(text))?.skills, ['a'], undefined],
])('%s is read up to a depth of 1,000', async (_, fields, read, shallow, deep) => {
  expect(await read(nested(fields, 900))).toEqual(shallow);
  expect(await read(nested(fields, 1_100))).toEqual(deep);
});
