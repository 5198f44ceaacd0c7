import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatModels, parseModels } from '../../../src/server/pricing/parse-models.ts';
import { anyText } from '../../support/any-text.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { modelRows, modelsText, servePricing } from './serve-pricing.ts';

const row = (input: string, output = '1') =>
  `{ "input_usd_per_million": ${input}, "output_usd_per_million": ${output} }`;
const GOOD = row('2', '3');

/** A file whose third line is a bad row, between two good ones. */
const around = (bad: string) =>
  `{ "models": {\n  "before": ${GOOD},\n  "bad": ${bad},\n  "after": ${GOOD}\n} }`;

const STRANGE_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'models',
  '0',
  ' ',
  ' a b ',
  'openai/gpt-4o:free',
  '../../etc/passwd',
  'ünï—模型 🦊',
  'a\u0000b\n\t"\\',
  '\u2028',
  '<script>',
  'x'.repeat(2000),
];

describe('a bad row is left out and named with its line', () => {
  const bad: Readonly<Record<string, string>> = {
    'a negative price': row('-0.01'),
    'a negative second price': row('1', '-1'),
    'a string': row('"2.5"'),
    null: row('null'),
    true: row('true'),
    'a list': row('[1]'),
    'an object': row('{}'),
    'beyond all numbers': row('1e400'),
    'beyond all money': row('1000000000.1'),
    'a missing field': '{ "input_usd_per_million": 1 }',
    'the other missing field': '{ "output_usd_per_million": 1 }',
    'no fields': '{}',
    'a row that is null': 'null',
    'a row that is a number': '5',
    'a row that is a string': '"free"',
    'a row that is a list': '[1, 2]',
    'fields of a prototype': `{ "__proto__": ${GOOD} }`,
    'another spelling': '{ "Input_usd_per_million": 1, "output_usd_per_million": 1 }',
  };

  test('whatever is wrong with it', () => {
    for (const [what, text] of Object.entries(bad)) {
      const { models, problem } = parseModels(around(text));
      expect([what, [...(models?.keys() ?? [])]]).toEqual([what, ['before', 'after']]);
      expect([what, problem]).toEqual([
        what,
        expect.stringMatching(/^Problems in the models file: line 3: "bad" is ignored: .+\.$/),
      ]);
    }
  });

  test('over HTTP it is unknown, and the others have their prices', async () => {
    const directory = await makeTempDirectory();
    await writeFile(join(directory, 'model_pricing.json'), around(row('-1')));
    const { get, tokens } = await servePricing({ directory });
    const { status, body } = await get('/api/pricing/models');
    expect([status, Object.keys(body.models)]).toEqual([200, ['before', 'after']]);
    expect(body.configError).toContain('line 3: "bad"');
    expect((await tokens('after')).status).toBe(200);
    expect([(await tokens('bad')).body.code, (await tokens('before')).status]).toEqual([
      'unknown_model',
      200,
    ]);
  });

  test('when all are bad, the list is empty, which isn’t an error', () => {
    const { models, problem } = parseModels('{"models":{"a":null}}');
    expect([models?.size, problem]).toEqual([0, expect.stringContaining('line 1: "a"')]);
  });

  test('of many bad rows the first three are named and the others counted', () => {
    const rows = Array.from({ length: 7 }, (_, i) => `"m${i}": null`).join(',\n');
    expect(parseModels(`{"models": {\n${rows}\n}}`).problem).toMatch(
      /line 2: "m0".*line 3: "m1".*line 4: "m2".*\(and 4 more\)\.$/,
    );
    const three = Array.from({ length: 3 }, (_, i) => `"m${i}": null`).join(',\n');
    expect(parseModels(`{"models": {\n${three}\n}}`).problem).not.toContain('more');
  });

  test('an empty name is invalid', () => {
    const { models, problem } = parseModels(`{"models":{\n"": ${GOOD},\n"a": ${GOOD}}}`);
    expect([[...(models?.keys() ?? [])], problem]).toEqual([
      ['a'],
      expect.stringMatching(/line 2: "".*empty/),
    ]);
  });

  test('however deeply nested it is', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const { models, problem } = parseModels(`{"models":{"a": ${deep},\n"b": ${GOOD}}}`);
    expect([[...(models?.keys() ?? [])], problem]).toEqual([
      ['b'],
      expect.stringContaining('"a" is ignored'),
    ]);
  });

  test('on any line and next to any names (property)', () => {
    const name = anyText({ minLength: 1, maxLength: 12 }).filter((text) => text !== 'bad row');
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { maxLength: 8 }),
        fc.nat(8),
        fc.constantFrom('\n', '\r\n'),
        (names, place, end) => {
          const lines = names.map((each) => `${JSON.stringify(each)}: ${GOOD}`);
          const at = Math.min(place, lines.length);
          lines.splice(at, 0, '"bad row": null');
          const { models, problem } = parseModels(`{"models": {${end}${lines.join(`,${end}`)}${end}}}`);
          expect(new Set(models?.keys())).toEqual(new Set(names));
          expect(problem).toContain(`line ${at + 2}: "bad row" is ignored`);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('what is good', () => {
  test('zero, whole numbers, fractions, exponents, and the most', () => {
    const text = `{"models":{"a":${row('0', '-0')},"b":${row('1e-9', '1E2')},"c":${row('1000000000', '2.50')}}}`;
    const { models, problem } = parseModels(text);
    expect(problem).toBeUndefined();
    expect(
      [...(models?.values() ?? [])].map((each) => Object.values(each).map((price = 0) => Number(price) + 0)),
    ).toEqual([
      [0, 0],
      [1e-9, 100],
      [1e9, 2.5],
    ]);
  });

  test('further fields, of the file and of a row, are ignored', () => {
    const text = `{"source":"me","date":1,"models":{"a":{"note":[1],"input_usd_per_million":1,"cache":0,"output_usd_per_million":2}},"z":{}}`;
    const { models, problem } = parseModels(text);
    expect(problem).toBeUndefined();
    expect(models).toEqual(new Map(Object.entries(modelRows({ a: [1, 2] }))));
  });

  test('any name except an empty one, with its price over HTTP', async () => {
    const directory = await makeTempDirectory();
    const rows = Object.fromEntries(STRANGE_NAMES.map((name, i) => [name, [i + 1, i + 2] as const]));
    await writeFile(join(directory, 'model_pricing.json'), modelsText(rows));
    const { get, tokens } = await servePricing({ directory });
    const { body } = await get('/api/pricing/models');
    expect(body.configError).toBeUndefined();
    expect(new Set(Object.keys(body.models))).toEqual(new Set(STRANGE_NAMES));
    for (const [i, name] of STRANGE_NAMES.entries()) {
      const price = await tokens(name);
      expect([name, price.status, price.body.model]).toEqual([name, 200, name]);
      expect(price.body.input_sats_per_token).toBe(((i + 1) * 100) / 64_000);
    }
  });

  test('of a duplicate name the last one counts, and its line is named', () => {
    const text = `{"models": {\n"a": ${row('1')},\n"b": ${GOOD},\n"a": ${row('7')}\n}}`;
    const { models, problem } = parseModels(text);
    expect(models?.get('a')?.input_usd_per_million).toBe(7);
    expect(problem).toBe('Problems in the models file: line 4: "a" appears twice, and this line is used.');
    const escaped = parseModels(`{"models": {\n"a": ${row('1')},\n"\\u0061": ${row('7')}\n}}`);
    expect(escaped.problem).toContain('line 3: "a" appears twice');
    const twoBad = parseModels(`{"models": {\n"a": ${row('1')},\n"a": ${row('-7')}\n}}`);
    expect([twoBad.models?.size, twoBad.problem]).toEqual([
      0,
      expect.stringContaining('line 3: "a" is ignored'),
    ]);
  });

  test('of duplicate "models" the last ones count, with their own lines', () => {
    const { models, problem } = parseModels(`{"models": {"a": ${GOOD}},\n"models": {\n"b": null}}`);
    expect([models?.size, problem]).toEqual([0, expect.stringContaining('line 3: "b" is ignored')]);
  });

  test('five thousand models', async () => {
    const directory = await makeTempDirectory();
    const rows = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [`maker/model-${i}`, [i, i] as const]),
    );
    await writeFile(join(directory, 'model_pricing.json'), modelsText(rows));
    const { get, tokens } = await servePricing({ directory });
    expect(Object.keys((await get('/api/pricing/models')).body.models)).toHaveLength(5000);
    expect((await tokens('maker/model-4999')).body.input_sats_per_token).toBe(499_900 / 64_000);
    // The same with a bad row at the end: its line is found.
    const lines = Object.keys(rows).map((name) => `${JSON.stringify(name)}: ${GOOD}`);
    await writeFile(join(directory, 'model_pricing.json'), `{"models": {\n${lines.join(',\n')},\n"bad": 1}}`);
    expect((await get('/api/pricing/models')).body.configError).toContain('line 5002: "bad"');
  });
});

test('what is written is read back, whatever the names and prices (property)', () => {
  const price = fc.double({ min: 0, max: 1e9, noNaN: true }).map((each) => each + 0);
  const name = fc.oneof(anyText({ minLength: 1 }), fc.constantFrom(...STRANGE_NAMES));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, price, price)), (rows) => {
      const models = new Map(
        rows.map(([each, input_usd_per_million, output_usd_per_million]) => [
          each,
          { input_usd_per_million, output_usd_per_million },
        ]),
      );
      expect(parseModels(formatModels(models))).toEqual({ models, problem: undefined });
    }),
    { numRuns: 100 },
  );
});
