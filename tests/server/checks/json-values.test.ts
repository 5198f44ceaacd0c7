import { readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { checkAgent } from '../../support/check.ts';
import { firstQuick } from '../../support/first-quick.ts';

type FileName = 'settings.json' | 'models.json';

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
}

const COST = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
const SECRET = 'sk-ant-api03-Zq4T8vW1nB6xKp2Lr9Ys';

const messages = (name: FileName, text: string): string[] =>
  checkAgent(
    { files: { [name]: text } },
    name === 'settings.json' ? 'settings-json-value' : 'models-json-value',
  ).map(({ message }) => message.replace(' pi ignores models.json until this is fixed.', ''));

const schemaOf = async (name: FileName): Promise<Schema> =>
  JSON.parse(await readFile(`src/pi/schemas/${name.replace('.json', '.schema.json')}`, 'utf8'));

/** Wraps a value in the objects and lists that lead to it. */
type Wrap = (value: unknown) => unknown;

/** Each key of a schema, as what makes a file of a value for it. */
function* keysOf(schema: Schema, root: Schema, wrap: Wrap, name = ''): Generator<[string, Wrap]> {
  const at = schema.$ref ? root.$defs?.[schema.$ref.replace('#/$defs/', '')] : schema;
  for (const [key, child] of Object.entries({ ...at?.properties, ...at?.patternProperties })) {
    // An empty schema accepts everything.
    if (Object.keys(child).length === 0) continue;
    const own = key === '^.*$' ? 'mine' : key;
    const inside: Wrap = (value) => wrap({ [own]: value });
    yield [`${name}.${own}`, inside];
    yield* keysOf(child, root, inside, `${name}.${own}`);
    if (child.items) yield* keysOf(child.items, root, (value) => inside([value]), `${name}.${own}[0]`);
  }
}

for (const [tags, rows] of firstQuick<[FileName, number]>(1, [
  ['settings.json', 61],
  ['models.json', 150],
]))
  describe.each(rows)("every key of pi's schema of %s", { tags }, (name, atLeast) => {
    it('is checked, in plain words that never repeat the value', async () => {
      const schema = await schemaOf(name);
      const keys = [...keysOf(schema, schema, (value) => value)];
      expect(keys.length).toBeGreaterThanOrEqual(atLeast);
      for (const [key, wrap] of keys) {
        // A list of lists of text is wrong everywhere.
        const found = messages(name, JSON.stringify(wrap([[SECRET]])));
        expect([key, found]).not.toEqual([key, []]);
        for (const wrong of [[[SECRET]], [SECRET], SECRET, { [key]: SECRET }, -1.5, '', 1e300, null, true])
          for (const message of messages(name, JSON.stringify(wrap(wrong)))) {
            expect([key, message]).toEqual([
              key,
              expect.stringMatching(/^"[^"]+" (must be|can’t be|is missing)/),
            ]);
            expect(message).not.toMatch(/sk-ant|undefined|invalid|expected|received/i);
          }
      }
    });
  });

test.each<[FileName, unknown, string[]]>([
  ['settings.json', { hideThinkingBlock: 1 }, ['"hideThinkingBlock" must be true or false.']],
  ['settings.json', { theme: 1 }, ['"theme" must be text in quotes.']],
  ['settings.json', { cacheWarming: 'on' }, ['"cacheWarming" must be "off", "streaming" or "idle".']],
  ['settings.json', { outputPad: 2 }, ['"outputPad" must be 0 or 1.']],
  [
    'settings.json',
    { terminal: { images: true } },
    ['"terminal.images" must be "kitty", "iterm2", "auto" or false.'],
  ],
  ['settings.json', { httpIdleTimeoutMs: '1s' }, ['"httpIdleTimeoutMs" must be a number or "disabled".']],
  ['settings.json', { httpIdleTimeoutMs: -1 }, ['"httpIdleTimeoutMs" can’t be negative.']],
  [
    'settings.json',
    { compaction: { reserveTokens: 1.5 } },
    ['"compaction.reserveTokens" must be a whole number.'],
  ],
  [
    'settings.json',
    { compaction: { reserveTokens: 1e300 } },
    ['"compaction.reserveTokens" must be at most 9007199254740991.'],
  ],
  ['settings.json', { selfUpdateCommand: [] }, ['"selfUpdateCommand" can’t be empty.']],
  ['settings.json', { extensions: ['a', 1] }, ['"extensions[1]" must be text in quotes.']],
  ['settings.json', { packages: [{}] }, ['"packages[0].source" is missing.']],
  [
    'settings.json',
    { packages: [1] },
    ['"packages[0]" must be text in quotes or an object, such as { "name": "value" }.'],
  ],
  [
    'settings.json',
    { skills: { customDirectories: 'a' } },
    ['"skills.customDirectories" must be a list, such as [ … ].'],
  ],
  ['models.json', {}, ['"providers" is missing.']],
  ['models.json', { providers: { a: { name: '' } } }, ['"providers.a.name" can’t be empty.']],
  [
    'models.json',
    { providers: { a: { models: [{ id: 'b', contextWindow: 0 }] } } },
    ['"providers.a.models[0].contextWindow" must be more than 0.'],
  ],
  [
    'models.json',
    { providers: { a: { models: [{ id: 'b', inputLimits: { maxRequestBytes: 0 } }] } } },
    ['"providers.a.models[0].inputLimits.maxRequestBytes" must be at least 1.'],
  ],
  [
    'models.json',
    {
      providers: {
        a: { compat: { allowedFallbackModels: Array(4).fill({ provider: 'b', model: 'c', cost: COST }) } },
      },
    },
    ['"providers.a.compat.allowedFallbackModels" can have at most 3 entries.'],
  ],
  ['models.json', { providers: { a: { oauth: 'x' } } }, ['"providers.a.oauth" must be "radius".']],
])('%s %j', (name, value, expected) => {
  expect(messages(name, JSON.stringify(value))).toEqual(expected);
});

test('unknown keys and the old keys that pi still converts are fine', () => {
  const old = {
    queueMode: 'all',
    websockets: true,
    skills: { enableSkillCommands: true, customDirectories: ['~/skills'] },
    retry: { maxDelayMs: 5 },
  };
  expect(
    messages('settings.json', JSON.stringify({ ...old, mine: { a: [null] }, terminal: { mine: 1 } })),
  ).toEqual([]);
  const models = {
    mine: 1,
    providers: { a: { mine: 1, models: [{ id: 'b', mine: 1, compat: { mine: 1 } }] } },
  };
  expect(messages('models.json', JSON.stringify(models))).toEqual([]);
});

for (const [tags, rows] of firstQuick<[string, FileName, string]>(1, [
  ['2 MB', 'settings.json', JSON.stringify({ theme: 'x'.repeat(2 * 1024 * 1024) })],
  ['lists in lists', 'settings.json', `{"retry":${'['.repeat(60_000)}${']'.repeat(60_000)}}`],
  [
    'objects in objects',
    'settings.json',
    `{"compaction":${'{"modelOverrides":'.repeat(9_000)}1${'}'.repeat(9_000)}}`,
  ],
  ['many wrong entries', 'settings.json', JSON.stringify({ defaultTools: Array(100_000).fill(1) })],
  [
    'many wrong names',
    'settings.json',
    JSON.stringify({
      modelThinkingLevels: Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`m${i}`, 1])),
    }),
  ],
  ['many wrong choices', 'settings.json', JSON.stringify({ packages: Array(80_000).fill([]) })],
  ['one name many times', 'settings.json', `{${'"theme":1,'.repeat(20_000)}"theme":1}`],
  [
    'names of prototypes',
    'models.json',
    '{"providers":{"__proto__":null,"constructor":null,"toString":{"models":0}}}',
  ],
  [
    'names of prototypes alone',
    'models.json',
    '{"providers":{"__proto__":{"models":[null]}},"__proto__":null}',
  ],
  ['a line break in a name', 'models.json', '{"providers":{"a\\nb":null,"c\\rd":{"models":[null]}}}'],
  [
    'many providers',
    'models.json',
    `{"providers":{${Array.from({ length: 20_000 }, (_, i) => `"p${i}":{}`).join()}}}`,
  ],
]))
  test.each(rows)('hostile values are checked to the end: %s', { tags }, (_, name, text) => {
    const found = checkAgent({ files: { [name]: text, 'pi-args': '--model\nx\n' } });
    expect(found.length).toBeLessThanOrEqual(500);
  });
