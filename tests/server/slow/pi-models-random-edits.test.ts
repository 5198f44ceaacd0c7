import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { AgentModels } from '../../../src/shared/api/pi-models.ts';
import { parseJson } from '../../../src/shared/json-document.ts';
import { createRandom } from '../../bench/make-text.ts';
import { editsOf, ODD, ROUTE, serveModels } from '../../support/pi-models.ts';

// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Json = any;

const parsed = (text: string): Json => parseJson(text, { comments: true }).value;

/** The comments of a file, in their order. */
const commentsIn = (text: string) => text.match(/\/\/ [^\r\n"]*/g) ?? [];

/** What another program makes of a file: a comment and a key in one of its objects, or another layout without comments. */
const editedElsewhere = (text: string, round: number, random: (below: number) => number): string => {
  if (random(8) === 0) return `${JSON.stringify(parsed(text), null, [0, 2, '\t'][random(3)])}\n`;
  const braces = [...text.matchAll(/(?<!"providers": ?)\{(?=[ \t\r\n"])/g)].map(({ index }) => index + 1);
  const at = braces[random(Math.min(3, braces.length))] ?? 0;
  const isEmpty = /^\s*\}/.test(text.slice(at));
  return `${text.slice(0, at)} // note ${round}\n"note${round}": [${round} ,1]${isEmpty ? '' : ','}${text.slice(at)}`;
};

test('500 random edits by form and by another program lose nothing unseen', {
  timeout: 110_000,
}, async () => {
  const { asOperator: call, edit, path, text } = await serveModels(ODD);
  const next = createRandom(52);
  const random = (below: number) => Math.floor(next() * below);
  const oneOf = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  const counts = { changed: 0, conflict: 0, refused: 0, comments: 0 };
  for (let round = 0; round < 500; round++) {
    const before = await text();
    const value = parsed(before);
    const shown: AgentModels = (await call('GET', ROUTE)).body;
    // Another program edits before us in some rounds, and we must notice.
    if (random(4) === 0) await writeFile(path, editedElsewhere(before, round, random));
    const known = await text();
    const isLate = known !== before;
    const provider = oneOf([...shown.providers.map(({ id }) => id), 'fresh']);
    const entry = shown.providers.find(({ id }) => id === provider);
    const model = oneOf([...(entry?.models ?? []).map(({ id }) => id), `m${random(9)}`]);
    const override = oneOf([...(entry?.modelOverrides ?? []).map(({ id }) => id), `o${random(9)}`]);
    const few = shown.providers.length < 3;
    const body: Json = oneOf([
      { provider: `p${random(9)}`, change: { baseUrl: `http://p${round}/v1`, api: 'openai-completions' } },
      {
        provider,
        change: { name: `Round ${round}`, ...oneOf([{ apiKey: null }, { apiKey: `$K${round}` }, {}]) },
      },
      { provider, change: { headers: { [`H${random(3)}`]: oneOf([null, `h${round}`]) } } },
      {
        provider,
        model,
        change: { contextWindow: 1 + random(9), input: oneOf([null, ['text'], ['image', 'text']]) },
      },
      { provider, model, change: { cost: oneOf([null, { input: round }, { output: 1, cacheRead: 2 }]) } },
      { provider, override, change: { maxTokens: 1 + random(9), cost: { input: oneOf([null, round]) } } },
      { provider, model, newId: `r${random(30)}`, change: {} },
      { provider, override, newId: `r${random(30)}`, change: { reasoning: true } },
      { provider, newId: `q${random(9)}`, change: {} },
      { provider, model, change: few ? { name: 'Few' } : null },
      { provider, override, change: null },
      { provider, change: few ? {} : null },
    ]);
    const { code } = await edit(editsOf(before, body), { ifMatch: shown.etag });
    if (isLate) {
      expect(code).toBe('file_changed');
      counts.conflict++;
    }
    if (code !== undefined) {
      expect(['file_changed', 'model_refused', 'model_exists', 'model_not_found']).toContain(code);
      if (!isLate) counts.refused++;
      expect(await text()).toBe(known);
      continue;
    }
    counts.changed++;
    const after = await text();
    const result = parsed(after);
    const id = body.newId ?? body.provider;
    const touched = body.model ?? body.override;
    const renamed = touched === undefined ? id : body.provider;
    // Everything but the provider, with its order.
    const rest = ({ providers, ...others }: Json, gone: string) => {
      const { [gone]: _, ...kept } = providers;
      return JSON.stringify([others, kept]);
    };
    expect(rest(result, renamed)).toBe(rest(value, body.provider));
    const old = value.providers[body.provider] ?? {};
    const now = result.providers[renamed];
    if (body.change !== null && touched === undefined) {
      const { name, apiKey, headers, baseUrl, api, ...others } = now;
      const { name: _n, apiKey: _k, headers: _h, baseUrl: _b, api: _a, ...othersBefore } = old;
      expect(JSON.stringify(others)).toBe(JSON.stringify(othersBefore));
      for (const [key, each] of Object.entries(body.change))
        if (typeof each === 'string') expect(now[key]).toBe(each);
    }
    if (touched !== undefined && now !== undefined) {
      const { models: _m, modelOverrides: _o, ...others } = now;
      const { models: _mb, modelOverrides: _ob, ...othersBefore } = old;
      expect(JSON.stringify(others)).toBe(JSON.stringify(othersBefore));
      const untouched = ({ models = [], modelOverrides = {} }: Json, gone: string) =>
        JSON.stringify([
          models.filter((each: Json) => body.override !== undefined || each.id !== gone),
          Object.entries(modelOverrides).filter(([each]) => body.model !== undefined || each !== gone),
        ]);
      expect(untouched(now, body.newId ?? touched)).toBe(untouched(old, touched));
      const find = ({ models = [], modelOverrides = {} }: Json, each: string) =>
        body.override === undefined ? models.findLast((one: Json) => one.id === each) : modelOverrides[each];
      const made = find(now, body.newId ?? touched);
      if (body.change === null) expect(made).toBeUndefined();
      else {
        for (const key of ['compat', 'later', 'future']) expect(made[key]).toEqual(find(old, touched)?.[key]);
        for (const [key, each] of Object.entries(body.change))
          if (typeof each === 'number' || Array.isArray(each))
            expect(Array.isArray(each) ? made[key].toSorted() : made[key]).toEqual(
              Array.isArray(each) ? each.toSorted() : each,
            );
      }
    }
    // Only what was removed takes its comments with it.
    if (body.change !== null) {
      expect(commentsIn(after)).toEqual(commentsIn(before));
      counts.comments += commentsIn(after).length;
    }
  }
  expect(counts.changed).toBeGreaterThan(200);
  expect(counts.conflict).toBeGreaterThan(80);
  expect(counts.comments).toBeGreaterThan(400);
});
