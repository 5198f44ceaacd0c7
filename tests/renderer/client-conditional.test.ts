import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { call } from '../../src/renderer/src/api/client.ts';
import { listAgents } from '../../src/shared/api/agents.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

it('reads an unchanged list only once, and sees a change at once', async () => {
  const root = await makeRoot({ 'agents/scout/SYSTEM.md': 'You scout.\n' });
  const { url } = await serve(root);
  const statuses: number[] = [];
  const { fetch } = globalThis;
  // Node has no page whose address the path could be relative to.
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const response = await fetch(`${url}${path}`, init);
    statuses.push(response.status);
    return response;
  });
  onTestFinished(() => void vi.unstubAllGlobals());

  const first = await call(listAgents, {});
  expect(await call(listAgents, {})).toBe(first);
  await writeFile(join(root, 'agents', 'scout', 'workspace.conf'), 'src\n');
  const changed = await call(listAgents, {});
  expect(changed.agents).toMatchObject([{ id: 'scout', workspace: true }]);
  expect(await call(listAgents, {})).toBe(changed);
  expect(statuses).toEqual([200, 304, 200, 304]);
});
