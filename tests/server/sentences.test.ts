import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseParts } from '../../src/server/http/validation.ts';
import { AppError } from '../../src/server/platform/app-error.ts';
import { endpoints } from '../../src/shared/api/index.ts';
import { LINK_KINDS } from '../../src/shared/api/names.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

/** Errors speak plainly: never in the words of the validator, and never of a route that is closed to the caller. */

interface Issue {
  path: string;
  message: string;
}

const refusal = (schema: z.ZodType, value: unknown, part = 'body'): { error: string; issues: Issue[] } => {
  try {
    parseParts([[part, schema, value]]);
  } catch (error) {
    if (error instanceof AppError) return { error: error.message, issues: error.details.issues as Issue[] };
    throw error;
  }
  return { error: '', issues: [] };
};

test.each<[string, z.ZodType, unknown, string]>([
  [
    'a missing body',
    z.strictObject({ confirm: z.string() }),
    undefined,
    'The body is missing. Send {"confirm":"…"}.',
  ],
  ['a missing field', z.object({ a: z.string() }), {}, '"a" is missing. Send text, as in {"a":"…"}.'],
  ['another type', z.object({ a: z.string() }), { a: 5 }, 'Send "a" as text, not as a number.'],
  ['null', z.object({ a: z.boolean() }), { a: null }, 'Send "a" as true or false, not as null.'],
  [
    'a list instead of an object',
    z.object({ a: z.string() }),
    [],
    'Send the body as an object, not as a list.',
  ],
  ['a fraction', z.object({ a: z.int() }), { a: 1.5 }, 'Send "a" as a whole number, not as a fraction.'],
  [
    'a nested field',
    z.object({ a: z.object({ b: z.int() }) }),
    { a: { b: 'x' } },
    'Send "a.b" as a number, not as text.',
  ],
  [
    'one of several values',
    z.object({ a: z.enum(['x', 'y', 'z']) }),
    { a: 'secret' },
    'Send "a" as "x", "y" or "z".',
  ],
  ['a fixed value', z.object({ a: z.literal(true) }), { a: false }, 'Send "a" as true.'],
  ['a long text', z.object({ a: z.string().max(3) }), { a: 'secret' }, '"a" must have at most 3 characters.'],
  ['an empty text', z.object({ a: z.string().min(1) }), { a: '' }, '"a" must not be empty.'],
  ['a short list', z.object({ a: z.array(z.int()).min(2) }), { a: [1] }, '"a" must have at least 2 items.'],
  ['a large number', z.object({ a: z.number().max(9) }), { a: 10 }, '"a" must be at most 9.'],
  ['a step', z.object({ a: z.number().multipleOf(5) }), { a: 7 }, '"a" must be a multiple of 5.'],
  [
    'a time',
    z.object({ a: z.iso.datetime() }),
    { a: 'now' },
    'Send "a" as a time in UTC, such as "2026-11-22T10:00:00Z".',
  ],
  ['a pattern', z.object({ a: z.string().regex(/^x+$/) }), { a: 'secret' }, '"a" must match /^x+$/.'],
  [
    'no form of several',
    z.object({ a: z.union([z.string(), z.int()]) }),
    { a: true },
    '"a" is true or false, which this route doesn’t accept. Check it against {"a":"…"}.',
  ],
  [
    'a name in a record',
    z.record(z.enum(['x']), z.int()),
    { y: 1, x: 1 },
    'This route doesn’t accept the field "y".',
  ],
  [
    'a check without a sentence',
    z.object({ a: z.string().refine(() => false) }),
    { a: 'secret' },
    '"a" is not valid.',
  ],
  ['a check with its own', z.object({ a: z.string().max(3, 'Too long.') }), { a: 'secret' }, 'Too long.'],
  [
    'a field that nobody knows',
    z.strictObject({}),
    { colour: 'secret' },
    'This route doesn’t accept the field "colour".',
  ],
])('says what is right about %s, and never what was sent', (_, schema, value, sentence) => {
  const { error } = refusal(schema, value);
  expect(error).toBe(`The request is not valid. ${sentence}`);
  expect(error).not.toContain('secret');
});

test('a query, a header and a path name themselves', () => {
  const schema = z.object({ limit: z.coerce.number().max(3) });
  expect(refusal(schema, { limit: 'x' }, 'query').error).toContain(
    'Send the query parameter "limit" as a number, not as other text.',
  );
  expect(refusal(schema, { limit: '9' }, 'headers').error).toContain('The header "limit" must be at most 3.');
  expect(refusal(schema, { limit: '9' }, 'params').error).toContain('"limit" in the path must be at most 3.');
});

/** What zod says by itself. */
const VALIDATOR =
  /Invalid (input|option|string|number|key|value|discriminator|[\w-]+)|Too (big|small)|Unrecognized|expected .* received/;

/** Deterministic numbers from 0 to 1 (mulberry32). */
const randomFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
};

const namesOf = (schema: z.ZodType): string[] =>
  schema instanceof z.ZodObject
    ? Object.entries(schema.shape).flatMap(([name, inner]) => [name, ...namesOf(inner as z.ZodType)])
    : schema instanceof z.ZodArray
      ? namesOf(schema.element as z.ZodType)
      : schema instanceof z.ZodOptional
        ? namesOf(schema.unwrap() as z.ZodType)
        : [];

test('no endpoint’s schema responds in the words of the validator', () => {
  const random = randomFrom(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const SCALARS = [
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    Number.NaN,
    '',
    'x',
    '-',
    'x'.repeat(300),
    '12',
    'ü\0',
    undefined,
  ];
  const make = (names: readonly string[], depth: number): unknown => {
    const kind = depth === 0 ? 1 : random();
    if (kind < 0.3) return Array.from({ length: Math.floor(random() * 4) }, () => make(names, depth - 1));
    if (kind < 0.8 && names.length > 0)
      return Object.fromEntries(
        Array.from({ length: 4 }, () => [pick([...names, 'other']), make(names, depth - 1)]),
      );
    return pick(SCALARS);
  };
  let count = 0;
  const wrong = new Set<string>();
  for (const { id, params, query, headers, body } of endpoints)
    for (const [part, schema] of Object.entries({ params, query, headers, body })) {
      if (!schema) continue;
      const names = namesOf(schema);
      for (let round = 0; round < 20; round++) {
        const { error, issues } = refusal(schema, make(names, 4), part);
        count += issues.length;
        for (const text of [error, ...issues.map(({ message }) => message)])
          if (VALIDATOR.test(text) || text.includes('undefined')) wrong.add(`${id} ${part}: ${text}`);
      }
    }
  expect(count).toBeGreaterThan(5000);
  expect([...wrong]).toEqual([]);
});

test('an empty delete says what to send, and an etag without quotes is refused before any file is read', async () => {
  const { call } = await serve(await makeRoot());
  expect((await call('DELETE', '/api/agents/scout')).body.error).toContain('Send {"confirm":"scout"}.');
  for (const header of ['If-Match', 'If-None-Match']) {
    const file = { path: 'SYSTEM.md', content: 'x' };
    const { status, body } = await call('PUT', '/api/agents/scout/file', file, { [header]: 'abc' });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.error).toContain('Send the etag with its quotes');
  }
});

test('an error points to no route that the caller may not use', async () => {
  const root = await makeRoot();
  const { call, operatorToken } = await serve(root);
  const operator = { Authorization: `Bearer ${operatorToken}` };
  const path = '/api/wallet/operations/00000000-0000-4000-8000-000000000000';
  expect((await call('GET', path)).body.error).not.toContain('/api/wallet/history');
  expect((await call('GET', path, undefined, operator)).body.error).toContain('/api/wallet/history');

  const key = { label: 'x', scopes: ['write-agent'], agent: 'scout' };
  const { body } = await call('POST', '/api/keys', key, operator);
  const link = { name: 'nothing' };
  const missing = await call('POST', '/api/agents/scout/links/skills', link, {
    Authorization: `Bearer ${body.key}`,
  });
  expect([missing.body.code, missing.body.error]).toEqual([
    'shared_entry_not_found',
    'shared/skills has no "nothing".',
  ]);
  expect((await call('POST', '/api/agents/scout/links/skills', link)).body.error).toContain(
    'GET /api/catalog/skills',
  );
});

test('each hint of an error names a route of the contract', () => {
  const routes = new Set(endpoints.map(({ method, path }) => `${method} ${path}`));
  const hints = readdirSync('src/server', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(`src/server/${file}`, 'utf8').matchAll(/\broute: ['`]([A-Z]+ [^'`]+)['`]/g),
    ])
    .flatMap(([, route = '']) =>
      route.includes('{kind}') ? LINK_KINDS.map((kind) => route.replace(/\$\{kind\}/, kind)) : [route],
    );
  expect(hints.length).toBeGreaterThan(10);
  expect(hints.filter((route) => !routes.has(route))).toEqual([]);
});
