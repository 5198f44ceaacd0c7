import { readFileSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  MAX_FRONTMATTER_CHARACTERS,
  parseFrontmatter,
  placeFrontmatter,
} from '../../src/server/catalog/frontmatter.ts';
import { readSimpleYaml } from '../../src/server/catalog/simple-yaml.ts';
import { anyText } from '../support/any-text.ts';
import { piFrontmatter } from '../support/pi-frontmatter.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/skills/${name}/SKILL.md`, import.meta.url), 'utf8');

const skill = (frontmatter: string, open = '---') => `${open}\n${frontmatter}\n---\n\nBody.\n`;

/** The one rule that a text breaks; fails when it breaks another number of them or still has fields. */
const ruleOf = (text: string) => {
  const { result, data, diagnostics } = parseFrontmatter(text);
  expect(data).toEqual({});
  expect(diagnostics).toHaveLength(1);
  expect(diagnostics[0]?.severity).toBe(result === 'unknown' ? 'warning' : 'error');
  return diagnostics[0]?.rule;
};

/** The fields of a text that breaks no rule. */
const fieldsOf = (text: string) => {
  const { data, diagnostics } = parseFrontmatter(text);
  expect(diagnostics).toEqual([]);
  return data;
};

/** The fields that pi reads, as JSON. Empty if it reads none or refuses the file. */
const fieldsOfPi = (text: string): unknown => {
  const fields = piFrontmatter(text);
  const isMapping =
    typeof fields === 'object' && fields !== null && Object.getPrototypeOf(fields) === Object.prototype;
  return isMapping ? JSON.parse(JSON.stringify(fields)) : {};
};

describe('reads the fields of', () => {
  const description = 'Does one thing.';
  test.each([
    ['folded-scalar', { description: 'Reads a branch and tells its story.\nUse it before a review.\n' }],
    ['folded-stripped', { description: 'Reads a branch and tells its story.' }],
    ['literal-scalar', { description: 'One line.\n  An indented one.\n---\nThe line above ends nothing.\n' }],
    ['quotes', { description: 'It\'s "quoted": with a colon, a # and no comment', license: 'tab\there, é' }],
    [
      'lists',
      {
        description,
        'allowed-tools': ['Read', 'Bash(git:*)'],
        metadata: { tags: 'a, b', version: '1.0' },
      },
    ],
    ['comments', { description }],
    [
      'types',
      {
        description,
        metadata: {
          number: 1.5,
          hexadecimal: 31,
          infinite: null,
          yes: true,
          no: 'no',
          nothing: null,
          date: '2026-01-31',
          tagged: null,
        },
      },
    ],
  ])('%s', (name, fields) => {
    expect(fieldsOf(fixture(name))).toEqual({ name, ...fields });
  });

  test('CRLF lines, in every kind of scalar', () => {
    for (const name of [
      'folded-scalar',
      'folded-stripped',
      'literal-scalar',
      'quotes',
      'lists',
      'comments',
    ]) {
      const text = fixture(name);
      expect(fieldsOf(text.replaceAll('\n', '\r\n'))).toEqual(fieldsOf(text));
    }
  });

  test('a file with a BOM', () => {
    expect(fieldsOf(`\uFEFF${fixture('lists')}`)).toEqual(fieldsOf(fixture('lists')));
  });

  test('a frontmatter that ends the file without a newline', () => {
    expect(fieldsOf('---\nname: x\n---')).toEqual({ name: 'x' });
  });

  test('an empty frontmatter, in each of its four forms', () => {
    for (const text of ['---\n---', '---\n\n---\n', '---\n# nothing\n---\n', '---\n~\n---\n']) {
      expect(fieldsOf(text)).toEqual({});
    }
  });

  test('keys of a mapping that aren’t strings, as strings', () => {
    expect(fieldsOf(skill('1: a\ntrue: b\n1.5: c'))).toEqual({ '1': 'a', true: 'b', '1.5': 'c' });
  });

  test('a few aliases', () => {
    expect(fieldsOf(skill('a: &a [1]\nb: *a\nc: { d: *a }'))).toEqual({ a: [1], b: [1], c: { d: [1] } });
  });
});

describe('reports what is wrong with', () => {
  test.each([
    ['no-frontmatter', 'frontmatter-missing'],
    ['empty-file', 'frontmatter-missing'],
    ['unclosed', 'frontmatter-unclosed'],
    ['broken-yaml', 'frontmatter-yaml'],
    ['colon-in-text', 'frontmatter-yaml'],
    ['tab-indent', 'frontmatter-yaml'],
    ['duplicate-key', 'frontmatter-yaml'],
    ['js-language', 'frontmatter-yaml'],
    ['javascript-language', 'frontmatter-not-a-mapping'],
    ['json-language', 'frontmatter-yaml'],
    ['toml-language', 'frontmatter-not-a-mapping'],
    ['not-a-mapping', 'frontmatter-not-a-mapping'],
    ['only-text', 'frontmatter-not-a-mapping'],
    ['only-a-date', 'frontmatter-not-a-mapping'],
    ['complex-key', 'frontmatter-too-complex'],
    ['unknown-alias', 'frontmatter-yaml'],
    ['yaml-language', 'frontmatter-yaml'],
    ['circular-alias', 'frontmatter-too-complex'],
  ])('%s: %s', (name, rule) => {
    expect(ruleOf(fixture(name))).toBe(rule);
    expect(ruleOf(`\uFEFF${fixture(name).replaceAll('\n', '\r\n')}`)).toBe(rule);
  });

  test('YAML, naming the line of the file and quoting nothing', () => {
    const [diagnostic] = parseFrontmatter(
      '---\nname: x\ndescription: so: not\nsecret: abc\n---\n',
    ).diagnostics;
    expect(diagnostic?.message).toContain('line 3');
    expect(diagnostic?.message).not.toContain('\n');
    expect(diagnostic?.message).not.toContain('abc');
  });

  test('YAML in one short line, whatever its text', () => {
    for (const yaml of [`a: ${'!'.repeat(3000)}`, 'a: "\\\n\\\u2028"', `a: b\na: ${'x'.repeat(3000)}`]) {
      const [diagnostic] = parseFrontmatter(skill(yaml)).diagnostics;
      expect(diagnostic?.message.length ?? 0).toBeLessThan(300);
      expect(diagnostic?.message ?? '').not.toContain('\n');
    }
  });

  test('one that is larger than the limit, however large, but not one of exactly that size', () => {
    const ofSize = (characters: number) => `---\na: ${'x'.repeat(characters - '---\na: '.length)}\n---\n`;
    expect(Object.keys(fieldsOf(ofSize(MAX_FRONTMATTER_CHARACTERS)))).toEqual(['a']);
    expect(ruleOf(ofSize(MAX_FRONTMATTER_CHARACTERS + 1))).toBe('frontmatter-too-large');
    expect(ruleOf(ofSize(1024 * 1024))).toBe('frontmatter-too-large');
    expect(ruleOf(`---\n${'a: b\n'.repeat(200_000)}`)).toBe('frontmatter-unclosed');
  });
});

test('never runs code, whatever language the frontmatter names', async () => {
  const mark = join(tmpdir(), 'dot-mi-frontmatter-ran');
  await rm(mark, { force: true });
  const code = fixture('js-language').slice('---js'.length);
  for (const language of [
    'js',
    'javascript',
    ' js',
    'JS',
    'js ',
    '\tjs',
    'coffee',
    'cson',
    'node',
    'yaml js',
  ]) {
    const text = `---${language}${code}`;
    expect(parseFrontmatter(text).data).toEqual(fieldsOfPi(text));
  }
  for (const tag of ['!!js/function', '!<tag:yaml.org,2002:js/function>', '!!js/undefined']) {
    const { data } = parseFrontmatter(skill(`a: ${tag} 'function () { globalThis.frontmatterRan = true }'`));
    expect(typeof data.a).toBe('string');
  }
  expect(globalThis).not.toHaveProperty('frontmatterRan');
  await expect(stat(mark)).rejects.toThrow('ENOENT');
});

describe('survives', () => {
  const bomb = (open: string, close: string, separator: string) =>
    Array.from(
      { length: 20 },
      (_, i) =>
        `a${i}: &a${i} ${open}${i === 0 ? 'k: x' : Array.from({ length: 5 }, (_, j) => `k${j}: *a${i - 1}`).join(separator)}${close}`,
    ).join('\n');
  test.each([
    ['a bomb of aliases in mappings', bomb('{', '}', ', ')],
    ['a bomb of aliases in lists', bomb('[', ']', ', ')],
    ['a bomb within the number of aliases', `a: &a [${'x, '.repeat(900)}]\nb: [${'*a, '.repeat(40)}]`],
    [
      'a bomb of merge keys',
      `a: &a { x: y }\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i}\n  !!merge <<: [*${i ? `b${i - 1}` : 'a'}, *a]`).join('\n')}\nc: [${'*b29, '.repeat(200)}]`,
    ],
    ['lists in lists', `a: ${'['.repeat(2000)}${']'.repeat(2000)}`],
    ['lists in lists, a little too deep', `a: ${'['.repeat(40)}${']'.repeat(40)}`],
    ['mappings in mappings', `a: ${'{ a: '.repeat(1000)}${'}'.repeat(1000)}`],
    ['block lists in block lists', `a:\n  ${'- '.repeat(2000)}a`],
    ['keys in keys', `${'? '.repeat(400)}a`],
    ['keys in keys in a flow', `a: ${'{ ? '.repeat(200)}${'}'.repeat(200)}`],
    ['thousands of keys', Array.from({ length: 13_000 }, (_, i) => `${i.toString(36)}:`).join('\n')],
    ['thousands of items', `a: [${'a,'.repeat(40_000)}]`],
    ['thousands of blank lines', `a: b${'\n'.repeat(8000)}`],
    ['thousands of spaces', `a: x${' '.repeat(8000)}`],
  ])('%s', (name, frontmatter) => {
    // pi refuses what has too many aliases.
    const isRefused = /^a bomb of/.test(name);
    expect(ruleOf(skill(frontmatter))).toBe(isRefused ? 'frontmatter-yaml' : 'frontmatter-too-complex');
  });

  test.each([
    ['thousands of escapes', `a: "${'\\u0041'.repeat(1300)}"`],
    ['thousands of wrong escapes', `a: "${'\\q'.repeat(4000)}"`],
    ['thousands of quotes', `a: ${'"'.repeat(8000)}`],
    ['thousands of tags', `a: ${'!'.repeat(8000)}`],
    ['thousands of anchors', `a: ${'&a '.repeat(2600)}`],
    ['a merge key of a scalar', 'a: 1\n!!merge <<: 3'],
    ['NUL', 'a: \0'],
    ['lone surrogates', 'a: \ud800\nb: "\\udc00"'],
  ])('%s', (_name, frontmatter) => {
    const found = parseFrontmatter(skill(frontmatter));
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });

  test('the key __proto__, which is a name like any other', () => {
    const data = fieldsOf(skill('__proto__:\n  polluted: yes\nconstructor: c\ntoString: t'));
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
    expect(Object.keys(data)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(data.polluted).toBeUndefined();
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('whatever the text', () => {
  const isTold = (text: string) => {
    const { data, diagnostics } = parseFrontmatter(text);
    expect(JSON.parse(JSON.stringify({ data, diagnostics }))).toEqual({ data, diagnostics });
    expect(typeof data === 'object' && !Array.isArray(data)).toBe(true);
    if (diagnostics.length > 0) expect(data).toEqual({});
  };

  /** pi's own code is the judge of text that isn't too complex for ours. */
  const saysWhatPiDoes = (text: string) => {
    const { result, data } = parseFrontmatter(text);
    if (result === 'unknown') return;
    const fields = piFrontmatter(text);
    expect(result === 'refused').toBe(fields === undefined);
    for (const name of ['a', 'b', 'description'])
      expect(typeof data[name] === 'string' ? data[name] : undefined).toBe(
        typeof (fields as Record<string, unknown> | undefined)?.[name] === 'string'
          ? (fields as Record<string, string>)[name]
          : undefined,
      );
  };

  test('it is reported as JSON and nothing is thrown', () => {
    fc.assert(fc.property(anyText({ maxLength: 200 }), isTold), { numRuns: 150 });
    fc.assert(
      fc.property(anyText({ maxLength: 200 }), (text) => isTold(skill(text))),
      { numRuns: 150 },
    );
  });

  test('it is reported as JSON and nothing is thrown, when it looks like YAML', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b: ',
        ': ',
        '- ',
        '? ',
        '\n',
        '\n  ',
        '\n\t',
        ' ',
        '[',
        ']',
        '{',
        '}',
        ',',
        '"',
        "'",
        '|',
        '>',
        '&x ',
        '*x',
        '!!map ',
        '!!set ',
        '!!omap ',
        '!!timestamp 2001-01-01',
        '!!binary ',
        '!!merge <<: ',
        '<<: ',
        '#',
        '%YAML 1.1',
        '...',
        '---',
        '\r\n',
        '1',
        '.nan',
        '~',
        '\\',
        '__proto__',
        '\0',
        '\uFEFF',
      ],
    );
    const yamlish = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        yamlish,
        fc.constantFrom('---', '---', '--- ', '---\r', '----', '---yaml'),
        (text, open) => {
          const file = skill(text, open);
          isTold(file);
          saysWhatPiDoes(file);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('a mapping written as YAML is read back as it was', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc
        .array(fc.constantFrom('word', ' ', '\n', ':', '#', '---', '"', "'", '- ', '  '), { maxLength: 30 })
        .map((words) => words.join('')),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small', maxDepth: 2 },
        text,
        fc.boolean(),
        fc.constant(null),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), tie('value'), { maxKeys: 4 }),
      ),
    }));
    const style = fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const);
    const mapping = fc
      .dictionary(fc.string({ minLength: 1, maxLength: 10 }), value, { maxKeys: 4 })
      .map((made) => ({ ...made }));
    fc.assert(
      fc.property(mapping, fc.boolean(), style, (made, crlf, defaultStringType) => {
        // Block scalars of `stringify` lose blanks before a line's end; those have tests of their own above.
        const yaml = stringify(made, { blockQuote: false, defaultStringType });
        // Such a line ends the frontmatter, and more than that is refused by design.
        fc.pre(!`\n${yaml}`.includes('\n---') && yaml.length < 3000 && !Object.hasOwn(made, '__proto__'));
        fc.pre(!crlf || !JSON.stringify(made).includes('\\r'));
        const markdown = `---\n${yaml}---\n\nBody.\n`;
        expect(fieldsOf(crlf ? markdown.replaceAll('\n', '\r\n') : markdown)).toEqual(made);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the quick reader of simple lines', () => {
  const word = fc.constantFrom(
    ...['name', 'a', 'b-c', 'true', 'null', 'yes', 'No', '1', '0x1f', '~', '.inf', '<<', '__proto__', 'x y'],
    ...[
      ':',
      ': ',
      ' #',
      '#',
      '-',
      '- ',
      '?',
      '"',
      "'",
      '\\',
      '[',
      '{',
      ',',
      '&x',
      '*x',
      '!t',
      '|',
      '>',
      '%',
      '@',
      '`',
    ],
    ...[' ', '\t', '\r', '\u00a0', 'é', '…', '\u2028', '\ufeff', '---', '...', '='],
  );
  const text = fc.array(word, { maxLength: 3 }).map((words) => words.join(''));
  const value = fc.oneof(
    text,
    text.map((words) => `x${words}`),
    text.map((words) => `"${words}"`),
    text.map((words) => `'${words}'`),
  );
  const field = fc
    .tuple(fc.constantFrom('name', 'a', 'b-c', 'license', 'true'), value)
    .map((parts) => parts.join(': '));
  const line = fc.oneof({ weight: 9, arbitrary: field }, text);
  const block = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'));

  test('agrees with the YAML parser about values and places, or leaves the text to it', () => {
    let simple = 0;
    fc.assert(
      fc.property(block, (yaml) => {
        if (readSimpleYaml(yaml) === undefined) return;
        simple++;
        const quick = placeFrontmatter(`---\n${yaml}\n---\nBody.\n`);
        // The quick reader doesn't read comments.
        const slow = placeFrontmatter(`---\n${yaml}\n# comment\n---\nBody.\n`);
        expect(quick.diagnostics).toEqual(slow.diagnostics);
        expect(quick.data).toEqual(slow.data);
        expect([...quick.places]).toEqual([...slow.places]);
        expect(quick.bodyStart).toBe(slow.bodyStart - '# comment\n'.length);
      }),
      { numRuns: 2_000 },
    );
    expect(simple).toBeGreaterThan(200);
  });

  test('reads what most skills have, and no other kind of value', () => {
    const block =
      'name: git-summary\ndescription: Sums up a branch (use it often).\nlicense: "MIT"\ndisable-model-invocation: true\n';
    expect(readSimpleYaml(block)?.data).toEqual({
      name: 'git-summary',
      description: 'Sums up a branch (use it often).',
      license: 'MIT',
      'disable-model-invocation': true,
    });
    for (const other of [
      'a: 1',
      'a: [b]',
      'a: >-\n  b',
      'a: b\n  c',
      'a: b: c',
      'a:',
      'a: "\\t"',
      'a: x\na: y',
      'a: Null',
      '- a',
    ])
      expect(readSimpleYaml(other)).toBeUndefined();
  });
});
