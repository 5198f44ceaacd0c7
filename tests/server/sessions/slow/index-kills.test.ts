import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createRoot } from '../../../../src/server/platform/root.ts';
import { createSessionsIndex } from '../../../../src/server/sessions/sessions-index.ts';
import { openSessionsStore } from '../../../../src/server/sessions/sessions-store.ts';
import { makeRoot } from '../../../support/root.ts';
import { makeSession } from '../../../support/session-file.ts';
import { makeTempDirectory } from '../../../support/temp.ts';

const FILES = 60;
const CALLS = 150;
const PROGRAM = fileURLToPath(new URL('../../../support/index-sessions.ts', import.meta.url));

const everything = { grouping: 'agent', fromMs: undefined, toMs: undefined, agent: undefined } as const;

test('figures are right after processes were killed while they read sessions', async () => {
  const tree: Record<string, string> = {};
  for (let file = 0; file < FILES; file++) {
    const session = makeSession();
    for (let call = 0; call < CALLS; call++) session.call({ input: 1 + call, usd: 0.25 });
    tree[`agents/agent-${file % 7}/sessions/--work--/${session.fileName}`] = session.text();
  }
  const root = await makeRoot(tree);
  const database = join(await makeTempDirectory(), 'sessions.sqlite');
  const callsIn = (read: boolean): number => {
    const store = openSessionsStore(database);
    if (read) for (const _step of createSessionsIndex(createRoot(root), store, Date.now, root).refresh());
    const rows = store.sums(everything);
    store.close();
    return rows.reduce((sum, { calls }) => sum + calls, 0);
  };
  const seen: number[] = [];
  for (const afterMs of [1, 10, 20, 40, 80, 120]) {
    const child = fork(PROGRAM, [root, database]);
    await once(child, 'message');
    await sleep(afterMs);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    seen.push(callsIn(false));
  }
  // What was committed stays, and nothing counts twice.
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect([callsIn(true), callsIn(true)]).toEqual([FILES * CALLS, FILES * CALLS]);
});
