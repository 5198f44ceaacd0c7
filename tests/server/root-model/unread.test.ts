import { expect, test } from 'vitest';
import { createRoot } from '../../../src/server/platform/root.ts';
import { contextWithoutWatch } from '../../../src/server/root-model/coverage.ts';
import { type AgentReading, createReadAgents } from '../../../src/server/root-model/read-agents.ts';
import { etagOf } from '../../support/etag.ts';
import { makeRoot } from '../../support/root.ts';

const filesOf = async () => ({
  root: createRoot(
    await makeRoot({
      'agents/linked/settings.json': { link: '../../../outside.json' },
      'agents/bytes/pi-args': Buffer.from([0xff, 0xfe]),
      'agents/good/settings.json': '{}',
    }),
  ),
  etagOf,
});

test('what a list keeps of an agent names each file that wasn’t read', async () => {
  const pick = (agent: AgentReading) => {
    agent.facts();
    return { id: agent.id, unread: agent.unread() };
  };
  const files = await filesOf();
  const read = createReadAgents(files, files.root.path, pick);
  expect(read(['bytes', 'good', 'linked', 'missing'], contextWithoutWatch(Date.now()))).toEqual([
    { id: 'bytes', unread: ['pi-args'] },
    { id: 'good', unread: [] },
    { id: 'linked', unread: ['settings.json'] },
  ]);
  // @ts-expect-error a list that leaves out what wasn't read doesn't compile.
  createReadAgents(files, files.root.path, ({ id }: AgentReading) => ({ id }));
  // @ts-expect-error only a reading knows what it didn't read.
  createReadAgents(files, files.root.path, ({ id }: AgentReading) => ({ id, unread: [] as const }));
});
