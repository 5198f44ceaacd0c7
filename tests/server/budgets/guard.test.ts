/** resources/starter-root/shared/extensions/budget-guard.ts with a real server, and a stand-in for pi. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { STARTER_ROOT } from '../../resources/support.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';
import { startSquatter } from '../../support/squatter.ts';

afterEach(() => vi.unstubAllEnvs());

const startGuard = async () => {
  const root = await makeRoot();
  const server = await serve(root);
  const agentDir = join(root, 'agents/scout');
  vi.stubEnv('PI_CODING_AGENT_DIR', agentDir);
  vi.stubEnv('DOT_MI_URL', server.url);
  const path = join(STARTER_ROOT, 'shared/extensions/budget-guard.ts');
  // By a computed path: its pi package is not installed here.
  const { default: extension } = await import(pathToFileURL(path).href);
  const handlers = new Map<string, (event: object, ctx: object) => Promise<unknown>>();
  extension({ on: (name: string, handler: never) => handlers.set(name, handler) });
  const ctx = { hasUI: true, abort: vi.fn(), ui: { notify: vi.fn() } };
  const warm = () => handlers.get('cache_warming_decision')?.({ type: 'cache_warming_decision' }, ctx);
  const turn = () => handlers.get('context')?.({ type: 'context', messages: [] }, ctx);
  const spend = async (usd: number) => {
    const session = makeSession({ startedAtMs: Date.now() - 1_000 });
    session.call({ input: 1_000, usd });
    await mkdir(join(agentDir, 'sessions'), { recursive: true });
    await writeFile(join(agentDir, 'sessions', session.fileName), session.text());
  };
  const limit = (limits: object) =>
    server.call('PUT', '/api/agents/scout/budget', limits, {
      Authorization: `Bearer ${server.operatorToken}`,
    });
  return { root, server, ctx, turn, warm, spend, limit };
};

test('the guard stops the agent before the call after the one that reached the limit', async () => {
  const { ctx, turn, spend, limit } = await startGuard();
  await turn();
  await limit({ usdPerDay: 1 });
  await spend(0.5);
  await turn();
  expect(ctx.abort).not.toHaveBeenCalled();
  await spend(0.5);
  await turn();
  expect(ctx.abort).toHaveBeenCalledOnce();
  expect(ctx.ui.notify).toHaveBeenCalledExactlyOnceWith(
    'scout stopped, because its budget is used up. It has used $1.00 of $1.00 today.',
    'error',
  );
  // As the launcher sets it with --force.
  vi.stubEnv('DOT_MI_FORCE', 'yes');
  await turn();
  expect(ctx.abort).toHaveBeenCalledOnce();
});

test('the guard stops pi from warming its cache once the budget is used up or not known', {
  tags: 'slow',
}, async () => {
  const { server, ctx, warm, spend, limit } = await startGuard();
  await limit({ usdPerDay: 1 });
  expect(await warm()).toBeUndefined();
  await spend(1);
  expect(await warm()).toEqual({ action: 'stop' });
  await server.close();
  expect(await warm()).toEqual({ action: 'stop' });
  // Nobody waits for an answer.
  expect(ctx.abort).not.toHaveBeenCalled();
  vi.stubEnv('DOT_MI_FORCE', 'yes');
  expect(await warm()).toBeUndefined();
});

test('the guard goes on while dot-mi is away, and says so once', { tags: 'slow' }, async () => {
  const { server, ctx, turn, spend, limit, root } = await startGuard();
  await limit({ usdPerDay: 1 });
  await spend(5);
  await server.close();
  await turn();
  await turn();
  expect(ctx.abort).not.toHaveBeenCalled();
  expect(ctx.ui.notify).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/^The budget is not watched now: /),
    'warning',
  );
  const again = await serve(root, { dataDirectory: server.dataDirectory });
  vi.stubEnv('DOT_MI_URL', again.url);
  await turn();
  expect(ctx.abort).toHaveBeenCalledOnce();
});

test('the guard sends its key only to a dot-mi that knows it', { tags: 'slow' }, async () => {
  const { server, ctx, turn, spend, limit } = await startGuard();
  await limit({ usdPerDay: 1 });
  await spend(5);
  const { key } = (
    await server.call(
      'POST',
      '/api/keys',
      { label: 'Guard', agent: 'scout', scopes: ['read-agents'] },
      { Authorization: `Bearer ${server.operatorToken}` },
    )
  ).body;
  vi.stubEnv('DOT_MI_KEY', key);
  for (const { url, seen } of [await startSquatter(), await startSquatter(server.url)]) {
    vi.stubEnv('DOT_MI_URL', url);
    await turn();
    expect(seen.join()).not.toContain(key);
    expect(seen.length).toBeGreaterThan(0);
  }
  expect(ctx.abort).not.toHaveBeenCalled();
  vi.stubEnv('DOT_MI_URL', server.url);
  await turn();
  expect(ctx.abort).toHaveBeenCalledOnce();
});
