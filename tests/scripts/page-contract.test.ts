import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { forPage } from '../../scripts/page-contract.ts';

const flat = (code: string): string => code.replaceAll(/\s+/g, ' ');

test('the page gets the address of an endpoint, and nothing else of its record', () => {
  const code = `
    /** Reads “it”. */
    export const readIt = defineEndpoint({
      id: 'it.read', method: 'GET', path: \`/api/\${kind}\` as const, ofRoot: true, ...(a ? { task: 'x' } : {}),
      params: agentParams, body: z.object({ method: z.string() }),
      success: { status: 200, conditional: true, body: z.object({ path }) },
      errors: ['one', ...MORE],
    });
    export const size = () => ({ of: defineEndpoint({ method: 'POST', body: b }) });
    export const other = { body: z.string(), method: 'kept' } as const;
    export const NAMES = ['a', 'b'] as const;`;
  expect(flat(forPage(code))).toBe(
    flat(`
    /** Reads “it”. */
    export const readIt = /* @__PURE__ */ (() => (defineEndpoint({
      method: 'GET', path: \`/api/\${kind}\` as const, ofRoot: true,
      success: { conditional: true, }, })))();
    export const size = () => ({ of: defineEndpoint({ method: 'POST', }) });
    export const other = /* @__PURE__ */ (() => ({ body: z.string(), method: 'kept' } as const))();
    export const NAMES = ['a', 'b'] as const;`),
  );
});

test('the page gets the titles and advice of error codes', () => {
  const code = `export const ERRORS = {
    gone: { status: 404, retryable: false, title: 'It’s gone', message: 'Gone.', advice: 'Ask.', details: z.object({}) },
    ...WALLET_ERRORS,
  } as const satisfies Readonly<Record<string, ErrorInfo>>;`;
  expect(flat(forPage(code))).toBe(
    flat(`export const ERRORS = /* @__PURE__ */ (() => ({
    gone: { title: 'It’s gone', advice: 'Ask.', },
    ...WALLET_ERRORS,
  } as const satisfies Readonly<Record<string, ErrorInfo>>))();`),
  );
});

test('no page code reads a schema of an endpoint, because it isn’t there', async () => {
  const page = new URL('../../src/renderer/src/', import.meta.url);
  const names = (await readdir(page, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const readers = [];
  for (const name of names)
    if (/from 'zod'|\.(safeParse|shape)\b/.test(await readFile(new URL(name, page), 'utf8')))
      readers.push(name);
  expect(readers).toEqual([]);
});
