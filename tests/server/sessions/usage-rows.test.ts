import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRoot } from '../../../src/server/platform/root.ts';
import { createSessionsIndex } from '../../../src/server/sessions/sessions-index.ts';
import { openSessionsStore } from '../../../src/server/sessions/sessions-store.ts';
import { makeRoot } from '../../support/root.ts';
import { makeSession } from '../../support/session-file.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const HOUR_MS = 60 * 60_000;

/** An index of a root, without a server. */
const openIndex = async (root: string) => {
  const store = openSessionsStore(join(await makeTempDirectory(), 'sessions.sqlite'));
  onTestFinished(store.close);
  const index = createSessionsIndex(createRoot(root), store, Date.now, root);
  return {
    refresh: () => {
      for (const _step of index.refresh());
    },
    addBtcPrices: index.addBtcPrices,
    sums: (fromMs: number) =>
      (['agent', 'model', 'day', 'session'] as const).flatMap((grouping) =>
        [undefined, 'scout'].flatMap((agent) => [
          store.sums({ grouping, agent, fromMs: undefined, toMs: undefined }),
          store.sums({ grouping, agent, fromMs, toMs: fromMs + 30 * HOUR_MS }),
        ]),
      ),
  };
};

test('known sums grow by what is added, and are those of a new index', async () => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'Hi' });
  const nowMs = Date.now();
  // Powers of two, so that sums are exact in any order.
  const prices = [{ atMs: nowMs - 20 * HOUR_MS, usd: 65_536 }];
  const grown = await openIndex(root);
  grown.addBtcPrices(prices);
  const fromMs = nowMs - 26 * HOUR_MS;
  const sessions = ['scout', 'courier', 'scout'].map((agent, at) => ({
    directory: join(root, 'agents', agent, 'sessions/--work--'),
    session: makeSession({ startedAtMs: nowMs - (28 - at * 4) * HOUR_MS }),
    written: 0,
  }));
  const write = async (at: number, fill: (session: ReturnType<typeof makeSession>) => void) => {
    const known = sessions[at];
    if (!known) return;
    fill(known.session);
    await mkdir(known.directory, { recursive: true });
    const text = known.session.text();
    await appendFile(join(known.directory, known.session.fileName), text.slice(known.written));
    known.written = text.length;
    grown.refresh();
    const renewed = await openIndex(root);
    renewed.addBtcPrices(prices);
    renewed.refresh();
    expect(grown.sums(fromMs)).toEqual(renewed.sums(fromMs));
  };

  await write(0, (session) => session.call({ input: 100, output: 7, usd: 0.25 }));
  await write(0, (session) => session.call({ input: 10, cacheRead: 3, cacheWrite: 5, cacheWrite1h: 1 }));
  await write(0, (session) => session.call({}, { stopReason: 'error' }));
  await write(1, (session) => session.call({ input: 1, usd: 0.5 }, { provider: 'cloud', model: 'large' }));
  await write(2, (session) => session.compact({ input: 1, usd: 0.5 }));
  for (const at of [0, 2, 1])
    await write(at, (session) => {
      for (let call = 0; call < 3; call++) session.call({ input: call, output: 9, usd: 0.125 * call });
    });
  // A copy adds nothing, and what was counted stays.
  const [first] = sessions;
  if (!first) return;
  const before = grown.sums(fromMs);
  await writeFile(join(first.directory, 'copy.jsonl'), first.session.text());
  await rm(join(first.directory, first.session.fileName));
  grown.refresh();
  expect(grown.sums(fromMs)).toEqual(before);
});
