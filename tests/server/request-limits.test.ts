import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parseParts } from '../../src/server/http/validation.ts';
import type { AppError } from '../../src/server/platform/app-error.ts';
import { bodyLimitOf } from '../../src/shared/api/endpoint.ts';
import { endpoints } from '../../src/shared/api/index.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

/** A caller can't make the server describe a million problems. */

interface Refusal {
  readonly status: number;
  readonly body: { code: string; error: string; issues: { path: string; message: string }[] };
}

const post = async (path: string, body: object): Promise<Refusal> => {
  const { call } = await serve(await makeRoot({}));
  return (await call('POST', path, body)) as Refusal;
};

/** Returns the paths of lists without a limit. */
const unlimitedIn = (schema: z.core.$ZodType, path: string): string[] => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if ('innerType' in def) return unlimitedIn(def.innerType, path);
  switch (def.type) {
    case 'array': {
      const isLimited = def.checks?.some((check) => check._zod.def.check === 'max_length') ?? false;
      return [...(isLimited ? [] : [path]), ...unlimitedIn(def.element, `${path}[]`)];
    }
    case 'record':
      return unlimitedIn(def.valueType, `${path}{}`);
    case 'object':
      return [
        ...(def.catchall && !(def.catchall instanceof z.ZodNever) ? [`${path}.*`] : []),
        ...Object.entries(def.shape).flatMap(([name, field]) => unlimitedIn(field, `${path}.${name}`)),
      ];
    case 'union':
      return def.options.flatMap((option) => unlimitedIn(option, path));
    case 'pipe':
      return unlimitedIn(def.in, path);
    default:
      return [];
  }
};

test('every list in a request body has a limit', () => {
  const unlimited = endpoints.flatMap(({ id, body }) => (body ? unlimitedIn(body, id) : []));
  expect(unlimited).toEqual([]);
});

test('a list that is too long is refused before its items are looked at', () => {
  const looked = vi.fn((_: string) => false);
  const schema = z.strictObject({
    link: z.array(z.strictObject({ name: z.string().refine(looked) })).max(3),
  });
  const sample = Array.from({ length: 4 }, () => ({ name: '' }));
  expect(() => parseParts([['body', schema, { link: sample }]])).toThrow('"link" must have at most 3 items.');
  expect(looked).not.toHaveBeenCalled();
});

test('one schema’s sample is made once, for any number of issues', () => {
  let made = 0;
  const meta = {
    get examples() {
      made++;
      return ['scout'];
    },
  };
  const name = z.string().meta(meta);
  const schema = z.strictObject({ link: z.array(z.strictObject({ name })).max(1_000) });
  const refuse = (length: number) => () =>
    parseParts([['body', schema, { link: Array.from({ length }, () => ({})) }]]);
  expect(refuse(1)).toThrow('"link.0.name" is missing.');
  const once = made;
  expect(refuse(1_000)).toThrow('"link.0.name" is missing.');
  expect(made).toBe(once);
});

test('a refusal lists 20 issues, and the one that decides its code is among them', async () => {
  const link = [
    ...Array.from({ length: 1_000 }, () => ({})),
    { agent: '../x', kind: 'skills', names: ['a'] },
  ];
  const { status, body } = await post('/api/links/bulk', { link });
  expect([status, body.code]).toEqual([400, 'invalid_agent_id']);
  expect(body.issues).toHaveLength(20);
  expect(body.issues[0]?.path).toBe('body.link.1000.agent');
});

test('a body of 400,000 empty objects gets one sentence', { tags: 'slow' }, async () => {
  const { body } = await post('/api/links/bulk', { link: Array.from({ length: 400_000 }, () => ({})) });
  expect(body.issues).toEqual([{ path: 'body.link', message: '"link" must have at most 10000 items.' }]);
});

test('of a million problems, only the first is described', () => {
  const described = vi.fn(() => 'Send text.');
  const names = z.array(z.string({ error: described })).max(1_000);
  const schema = z.strictObject({ link: z.array(names).max(1_000) });
  const link = Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => 0));
  expect(() => parseParts([['body', schema, { link }]])).toThrow('Send text.');
  expect(described).toHaveBeenCalledTimes(1);
});

test('180,000 unknown fields are refused as such, and 20 of them are listed', { tags: 'slow' }, async () => {
  const fields = Object.fromEntries(Array.from({ length: 180_000 }, (_, index) => [`f${index}`, 0]));
  const { status, body } = await post('/api/links/bulk', fields);
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.issues).toHaveLength(20);
});

test('an issue repeats only the start of a name that the caller chose', () => {
  const schema = z.strictObject({ etags: z.record(z.string(), z.string()) });
  try {
    parseParts([['body', schema, { etags: { ['x'.repeat(100_000)]: 1 } }]]);
    expect.unreachable();
  } catch (error) {
    expect(JSON.stringify((error as AppError).details).length).toBeLessThan(1_000);
  }
});

test('a route that anyone can call reads at most 16 KiB', async () => {
  const { status, body } = await post('/api/sign-in', { keyId: 'x'.repeat(17 * 1024) });
  expect([status, body.code]).toEqual([413, 'body_too_large']);
  for (const endpoint of endpoints)
    if (endpoint.access === 'open') expect(bodyLimitOf(endpoint)).toBe(16 * 1024);
});

test('a query with more parameters than any route has is refused, and a repeated one is a list', async () => {
  const { call } = await serve(await makeRoot({}));
  const query = (count: number) => 'a&'.repeat(count);
  expect((await call('GET', `/api/health?${query(100)}`)).status).toBe(200);
  for (const path of ['/api/health', '/api/search']) {
    const { status, body } = await call('GET', `${path}?${query(101)}`);
    expect([path, status, body.code, body.error]).toEqual([
      path,
      400,
      'invalid_request',
      'Send at most 100 query parameters.',
    ]);
  }
  const { body } = await call('GET', `/api/search?${'q=x&'.repeat(3)}`);
  expect(body.code).toBe('invalid_request');
});
