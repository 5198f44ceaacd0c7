import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeAt, parseJson, rangeOf } from '../../src/shared/json-document.ts';
import { editJson, type JsonChange, JsonEditError } from '../../src/shared/json-edit.ts';

interface Case {
  readonly title: string;
  readonly text: string;
  readonly changes: readonly JsonChange[];
  readonly becomes: string;
  readonly comments?: boolean;
}

const CASES: readonly Case[] = [
  {
    title: 'replaces one value and leaves odd spaces alone',
    text: '{"a" : {"x" : 1 , "u":[1,2,  3]}}',
    changes: [{ path: ['a', 'x'], set: 2 }],
    becomes: '{"a" : {"x" : 2 , "u":[1,2,  3]}}',
  },
  {
    title: 'leaves a value that is already so, however it is written',
    text: '{"a": "\\u0041", "b": [ 1.0 ]}',
    changes: [
      { path: ['a'], set: 'A' },
      { path: ['b'], set: [1] },
    ],
    becomes: '{"a": "\\u0041", "b": [ 1.0 ]}',
  },
  {
    title: 'adds a member in a line of its own, with the indentation of the others',
    text: '{\n\t"s": {\n\t\t"a": {"command":"x"},\n\t\t"b": { "command":"y" }\n\t}\n}\n',
    changes: [{ path: ['s', 'c'], set: { command: 'z', args: ['-y', 'q'], env: { K: '1' } } }],
    becomes:
      '{\n\t"s": {\n\t\t"a": {"command":"x"},\n\t\t"b": { "command":"y" },\n\t\t"c": {\n\t\t\t"command": "z",\n\t\t\t"args": ["-y", "q"],\n\t\t\t"env": {\n\t\t\t\t"K": "1"\n\t\t\t}\n\t\t}\n\t}\n}\n',
  },
  {
    title: 'adds a member to a compact file in its style',
    text: '{"s":{"a":{"command":"x"}},"z":1}',
    changes: [{ path: ['s', 'b'], set: { url: 'https://x.example', args: [1, 2] } }],
    becomes: '{"s":{"a":{"command":"x"},"b":{"url":"https://x.example","args":[1,2]}},"z":1}',
  },
  {
    title: 'adds a member to an object in one line',
    text: '{\n  "a": { "x": 1 }\n}',
    changes: [{ path: ['a', 'y'], set: false }],
    becomes: '{\n  "a": { "x": 1, "y": false }\n}',
  },
  {
    title: 'adds the first member, with the objects on the way',
    text: '{}\n',
    changes: [{ path: ['s', 'a', 'command'], set: 'x' }],
    becomes: '{\n  "s": {\n    "a": {\n      "command": "x"\n    }\n  }\n}\n',
  },
  {
    title: 'adds the first member of an empty object in a file of several lines',
    text: '{\r\n    "s": {\r\n    },\r\n    "z": 1\r\n}',
    changes: [{ path: ['s', 'a'], set: 1 }],
    becomes: '{\r\n    "s": {\r\n        "a": 1\r\n    },\r\n    "z": 1\r\n}',
  },
  {
    title: 'removes a member with its line',
    text: '{\r\n  "a": 1,\r\n  "b": {\r\n    "x": 1\r\n  },\r\n  "c": 3\r\n}\r\n',
    changes: [{ path: ['b'], remove: true }],
    becomes: '{\r\n  "a": 1,\r\n  "c": 3\r\n}\r\n',
  },
  {
    title: 'removes the last member with the comma before it',
    text: '{\n  "a": 1,\n  "b": 2\n}\n',
    changes: [{ path: ['b'], remove: true }],
    becomes: '{\n  "a": 1\n}\n',
  },
  {
    title: 'removes members of one line',
    text: '{ "a": 1, "b": 2, "c": 3 }',
    changes: [
      { path: ['b'], remove: true },
      { path: ['c'], remove: true },
      { path: ['a'], remove: true },
    ],
    becomes: '{}',
  },
  {
    title: 'removes every member of a name, because JSON.parse would read the one before',
    text: '{"a": 1, "b": 2, "a": 3}',
    changes: [{ path: ['a'], remove: true }],
    becomes: '{"b": 2}',
  },
  {
    title: 'changes the last of two equal keys, which JSON.parse reads',
    text: '{"a":{"x":1},"a":{"x":2}}',
    changes: [{ path: ['a', 'x'], set: 3 }],
    becomes: '{"a":{"x":1},"a":{"x":3}}',
  },
  {
    title: 'renames a key in its place',
    text: '{ "s": { "a": {"u": 1}, "b" : 2, "b" :  3 } }',
    changes: [
      { path: ['s', 'a'], rename: 'é"' },
      { path: ['s', 'b'], rename: 'c' },
    ],
    becomes: '{ "s": { "é\\"": {"u": 1}, "c" :  3 } }',
  },
  {
    title: 'keeps a byte order mark',
    text: '\uFEFF{"a":1}',
    changes: [{ path: ['b'], set: 2 }],
    becomes: '\uFEFF{"a":1,"b":2}',
  },
  {
    title: 'keeps a byte order mark before lines',
    text: '\uFEFF{\n  "a": 1\n}',
    changes: [
      { path: ['b'], set: 2 },
      { path: ['a'], remove: true },
    ],
    becomes: '\uFEFF{\n  "b": 2\n}',
  },
  {
    title: 'treats keys such as __proto__ as any other',
    text: '{"a": {}}',
    changes: [
      { path: ['__proto__', 'x'], set: 1 },
      { path: ['a', 'constructor'], set: 2 },
    ],
    becomes: '{"a": { "constructor": 2 }, "__proto__": { "x": 1 }}',
  },
  {
    title: 'appends to a list, changes and removes elements',
    text: '{\n  "l": [\n    "a",\n    "b"\n  ],\n  "m": ["x", "y"]\n}',
    changes: [
      { path: ['l', 2], set: 'c' },
      { path: ['l', 0], set: 'A' },
      { path: ['l', 1], remove: true },
      { path: ['m', 2], set: 'z' },
      { path: ['m', 0], remove: true },
    ],
    becomes: '{\n  "l": [\n    "A",\n    "c"\n  ],\n  "m": ["y", "z"]\n}',
  },
  {
    title: 'keeps the comments of models.json where they are',
    comments: true,
    text: '{\n  // top\n  "a": 1, // about a\n  // about b\n  "b": 2 // about b, too\n}',
    changes: [
      { path: ['c'], set: 3 },
      { path: ['a'], remove: true },
    ],
    becomes: '{\n  // top\n  // about a\n  // about b\n  "b": 2, // about b, too\n  "c": 3\n}',
  },
  {
    title: 'keeps the comment after a last member that goes',
    comments: true,
    text: '{\n  "a": 1, // one, two\n  "b": 2 // "three",\n}',
    changes: [{ path: ['b'], remove: true }],
    becomes: '{\n  "a": 1 // one, two\n  // "three",\n}',
  },
  {
    title: 'goes on with trailing commas',
    comments: true,
    text: '{\n  "l": [\n    1,\n  ],\n  "m": [1, 2,],\n}',
    changes: [
      { path: ['l', 1], set: 2 },
      { path: ['m', 2], set: 3 },
      { path: ['n'], set: 'x' },
      { path: ['l', 0], remove: true },
    ],
    becomes: '{\n  "l": [\n    2,\n  ],\n  "m": [1, 2, 3,],\n  "n": "x",\n}',
  },
  {
    title: 'adds behind the comment of an empty object',
    comments: true,
    text: '{\n  "s": { // none yet\n  }\n}',
    changes: [{ path: ['s', 'a'], set: 1 }],
    becomes: '{\n  "s": { // none yet\n    "a": 1\n  }\n}',
  },
];

test.each(CASES.map((one) => [one.title, one] as const))('%s', (_, { text, changes, becomes, comments }) => {
  expect(editJson(text, changes, { comments: comments === true })).toBe(becomes);
});

describe('refuses', () => {
  const set: JsonChange = { path: ['a', 'b'], set: 1 };
  test.each<[string, string, JsonChange]>([
    ['what is not JSON', '{"a": ', set],
    ['comments, which pi refuses in every file but models.json', '{ // x\n}', set],
    ['an object in the place of a list', '{"a": []}', set],
    ['a value with nothing inside', '{"a": 1}', set],
    ['a name that is taken', '{"a": 1, "b": 2}', { path: ['a'], rename: 'b' }],
    ['to rename what is not there', '{}', { path: ['a'], rename: 'b' }],
    ['a text with too many levels', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, { path: [0], set: 1 }],
    ['a text that is too long', `{"a": "${'x'.repeat(300_000)}"}`, set],
  ])('%s', (_, text, change) => {
    expect(() => editJson(text, [change])).toThrow(JsonEditError);
  });
});

// biome-ignore-start lint/suspicious/noExplicitAny: any JSON

/** The same change in a value, as JSON.parse reads it. */
const changed = (root: any, change: JsonChange): any => {
  const copy = structuredClone(root);
  let at = copy;
  for (const step of change.path.slice(0, -1)) {
    if (!Object.hasOwn(at, step)) {
      if ('remove' in change) return copy;
      at[step] = {};
    }
    at = at[step];
  }
  const last = change.path.at(-1) as string;
  if ('set' in change) at[last] = change.set;
  else if ('remove' in change) {
    if (Array.isArray(at)) at.splice(Number(last), 1);
    else delete at[last];
  } else {
    const entries = Object.entries(at).map(([key, value]) => [key === last ? change.rename : key, value]);
    for (const key of Object.keys(at)) delete at[key];
    Object.assign(at, Object.fromEntries(entries));
  }
  return copy;
};

/** The paths of all values. */
const pathsIn = (value: any, path: readonly (string | number)[] = []): (readonly (string | number)[])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => {
        const here = [...path, Array.isArray(value) ? Number(key) : key];
        return [here, ...pathsIn(inner, here)];
      })
    : [];

const key = fc.stringMatching(/^[a-z_"/ ]{1,4}$/).filter((name) => name !== '__proto__');
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom('// x', ',', 'a"b', '\\', '}')),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;
const object = fc.dictionary(key, json, { minKeys: 1, maxKeys: 4, noNullPrototype: true });

/** Whether the object that a path is in has a key. */
const isTaken = (root: any, path: readonly (string | number)[], name: string): boolean =>
  Object.hasOwn(
    path.slice(0, -1).reduce((value, step) => value[step], root),
    name,
  );

/** A change of something that is there, or that isn't. */
const changeOf = (root: any, seed: number, value: unknown): JsonChange => {
  const paths = pathsIn(root);
  const path = paths[seed % paths.length];
  if (!path) return { path: ['first'], set: value };
  const isKey = typeof path.at(-1) === 'string';
  switch (seed % 4) {
    case 0:
      return { path, set: value };
    case 1:
      return { path, remove: true };
    case 2:
      return isKey && !isTaken(root, path, `n${seed}`) ? { path, rename: `n${seed}` } : { path, set: value };
    default: {
      // An earlier change can have put something else than an object there.
      const isNew = isKey && !isTaken(root, path, `added${seed}`);
      return { path: isNew ? [...path.slice(0, -1), `added${seed}`, 'deep'] : path, set: value };
    }
  }
};

/** Writes a value in an odd way: any blanks, and comments and trailing commas if they are allowed. */
const writeOddly = (value: any, pick: () => number, comments: boolean): string => {
  const blank = (): string => {
    const blanks = ['', ' ', '\n  ', '\r\n\t', '  '];
    const note = comments && pick() % 4 === 0 ? `// note${pick()}, "x": {\n` : '';
    return `${blanks[pick() % blanks.length]}${note}`;
  };
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, inner]) => {
    const start = isList ? '' : `${JSON.stringify(name)}${blank()}:${blank()}`;
    return `${blank()}${start}${writeOddly(inner, pick, comments)}${blank()}`;
  });
  const end = comments && parts.length > 0 && pick() % 3 === 0 ? `,${blank()}` : '';
  return `${isList ? '[' : '{'}${parts.join(',')}${end}${blank()}${isList ? ']' : '}'}`;
};
// biome-ignore-end lint/suspicious/noExplicitAny: any JSON

/** As pi reads models.json. */
const withoutComments = (text: string): string =>
  text
    .replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*/g, (part) => (part[0] === '"' ? part : ''))
    .replace(/"(?:\\.|[^"\\])*"|,(\s*[}\]])/g, (part, close) => (part[0] === '"' ? part : close));

const commentsIn = (text: string): string[] =>
  [...text.matchAll(/"(?:\\.|[^"\\])*"|\/\/[^\n\r]*/g)]
    .map(([part]) => part)
    .filter((part) => part[0] === '/');

/** The members at the top that a change has nothing to do with, as they are written. */
const otherMembers = (text: string, changedKey: unknown, comments: boolean): string[] => {
  const { root } = parseJson(text, { comments });
  if (root?.type !== 'Object') return [];
  return root.members
    .filter(({ name }) => name.type === 'String' && name.value !== changedKey)
    .map((member) => {
      const { start, end } = rangeOf(member);
      return text.slice(start, end);
    });
};

/** Whether a change replaces or removes something, which may hold comments. */
const isThere = (text: string, change: JsonChange, comments: boolean): boolean =>
  !('rename' in change) && nodeAt(parseJson(text, { comments }).root, change.path) !== undefined;

test.each([false, true])(
  '200 random edits of odd texts do what they say and lose nothing (comments: %s)',
  (comments) => {
    fc.assert(
      fc.property(
        object,
        json,
        fc.array(fc.nat(10_000), { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 }),
        (before, value, seeds, picks) => {
          let at = 0;
          const pick = () => picks[at++ % picks.length] ?? 0;
          let text = writeOddly(before, pick, comments);
          let expected: unknown = before;
          for (const seed of seeds) {
            const change = changeOf(expected, seed, value);
            const next = editJson(text, [change], { comments });
            expected = changed(expected, change);
            // As text, because the order counts too.
            expect(JSON.stringify(JSON.parse(comments ? withoutComments(next) : next))).toBe(
              JSON.stringify(expected),
            );
            for (const other of otherMembers(text, change.path[0], comments)) expect(next).toContain(other);
            if (!isThere(text, change, comments)) expect(commentsIn(next)).toEqual(commentsIn(text));
            text = next;
          }
        },
      ),
      // Sets a number where it added an object, then changes the same place again.
      { numRuns: 200, examples: [[{ a: 1 }, 5, [3, 4, 3], Array<number>(40).fill(0)]] },
    );
  },
);
