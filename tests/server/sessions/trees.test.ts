import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import pi073 from '../../fixtures/pi-sessions/0.73.1.json' with { type: 'json' };
import pi087 from '../../fixtures/pi-sessions/0.87.1.json' with { type: 'json' };
import { firstQuick } from '../../support/first-quick.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import type { SessionEntry } from '../../support/session-file.ts';
import { type KnownUsage, makeSessionTrees } from '../../support/session-trees.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** Generated trees of sessions: all figures add up, whatever is forked, copied or rewritten. */

const AGENTS = ['courier', 'scout', 'writer'];

/** The same numbers each time (mulberry32), so that a failure can be repeated. */
const numbersFrom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

const two = (value: number) => String(value).padStart(2, '0');

const dayOf = (atMs: number): string => {
  const at = new Date(atMs);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
};

const KEYS = {
  agent: ({ agent }: KnownUsage) => agent,
  model: ({ model }: KnownUsage) => `local/${model}`,
  day: ({ atMs }: KnownUsage) => dayOf(atMs),
} as const;

const sumOf = (lines: readonly KnownUsage[]) => {
  const sum = (name: 'calls' | 'errors' | 'input' | 'output' | 'usd') =>
    lines.reduce((total, line) => total + line[name], 0);
  return {
    calls: sum('calls'),
    errors: sum('errors'),
    input: sum('input'),
    output: sum('output'),
    usdRecorded: sum('usd'),
  };
};

for (const [tags, rows] of firstQuick(1, [1, 2]))
  test.each(rows)(
    'by agent, model and day, each line counts once, also after pi rewrote files (seed %d)',
    { tags },
    async (seed) => {
      const { files, usage } = makeSessionTrees(numbersFrom(seed), AGENTS, 40);
      const root = await makeRoot();
      const dataDirectory = await makeTempDirectory();
      const point = { at: Date.now() - 1_000, price: 100_000, source: 'kraken' };
      await plant(dataDirectory, { 'data/btc_price_history.jsonl': `${JSON.stringify(point)}\n` });
      const server = await serve(root, { dataDirectory });
      const pathOf = (agent: string, name: string) => join(root, 'agents', agent, 'sessions', name);
      for (const agent of AGENTS) await mkdir(join(root, 'agents', agent, 'sessions'), { recursive: true });
      for (const { agent, fileName, text } of files) await writeFile(pathOf(agent, fileName), text);

      const check = async () => {
        for (const grouping of ['agent', 'model', 'day'] as const) {
          const { body } = await server.call('GET', `/api/usage?groupBy=${grouping}`);
          expect(body).toMatchObject({ complete: true, problems: [], total: sumOf(usage) });
          const known = Object.entries(Object.groupBy(usage, KEYS[grouping]));
          expect(body.groups.map(({ key }: { key: string }) => key)).toEqual(
            known.map(([key]) => key).sort(),
          );
          for (const [key, lines] of known)
            expect(body.groups.find((group: { key: string }) => group.key === key)).toMatchObject(
              sumOf(lines ?? []),
            );
        }
      };
      await check();
      for (const { agent, fileName, rewritten } of files)
        if (rewritten !== undefined) await writeFile(pathOf(agent, fileName), rewritten);
      await check();

      // In each row of the table, the margin is what was earned minus what was spent.
      const csv = await (
        await fetch(`${server.url}/api/earnings`, {
          headers: { Accept: 'text/csv', Authorization: `Bearer ${server.operatorToken}` },
        })
      ).text();
      const [, ...rows] = csv.trim().split('\r\n');
      expect(rows).toHaveLength(new Set(usage.map(KEYS.agent)).size);
      for (const row of rows) {
        const [, earned, , recorded, estimated, , margin] = row.split(',').map(Number);
        expect(margin).toBeCloseTo((earned ?? 0) - (recorded ?? 0) - (estimated ?? 0), 6);
      }
    },
  );

/** The names of the fields of a line and of its message, by the kind of the line. */
const shapesOf = (texts: readonly string[]): Map<string, Set<string>> => {
  const shapes = new Map<string, Set<string>>();
  for (const line of texts.flatMap((text) => text.trim().split('\n'))) {
    const entry = JSON.parse(line) as SessionEntry & { message?: SessionEntry & { usage?: object } };
    const kind = `${entry.type} ${entry.message?.role ?? ''}`.trim();
    const names = shapes.get(kind) ?? new Set();
    shapes.set(kind, names);
    for (const name of Object.keys(entry)) names.add(name);
    for (const name of Object.keys(entry.message ?? {})) names.add(`message.${name}`);
    for (const name of Object.keys(entry.message?.usage ?? {})) names.add(`usage.${name}`);
  }
  return shapes;
};

test('the generated lines have only fields that real versions of pi write', () => {
  const real = shapesOf(
    [pi073, pi087].flatMap(({ moments }) => Object.values(moments).map(({ text }) => text)),
  );
  const made = shapesOf(makeSessionTrees(numbersFrom(1), AGENTS, 40).files.map(({ text }) => text));
  const compared = [...made].filter(([kind]) => real.has(kind));
  expect(compared.map(([kind]) => kind).sort()).toEqual([
    'compaction',
    'message assistant',
    'message user',
    'session',
  ]);
  for (const [kind, names] of compared)
    expect(
      [...names].filter((name) => !real.get(kind)?.has(name)),
      kind,
    ).toEqual([]);
});
