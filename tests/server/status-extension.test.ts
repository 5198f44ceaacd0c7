/** resources/starter-root/shared/extensions/dot-mi-status.ts with a real server, and a stand-in for pi. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { StatusList } from '../../src/shared/api/status.ts';
import { STARTER_ROOT } from '../resources/support.ts';
import { eventually } from '../support/eventually.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { startSquatter } from '../support/squatter.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const start = async (environment: Record<string, string> = {}) => {
  const root = await makeRoot();
  const server = await serve(root, { environment });
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  vi.stubEnv('PI_CODING_AGENT_DIR', join(root, 'agents/scout'));
  vi.stubEnv('DOT_MI_URL', server.url);
  vi.stubEnv('DOT_MI_KEY', '');
  const path = join(STARTER_ROOT, 'shared/extensions/dot-mi-status.ts');
  // By a computed path: its pi package is not installed here.
  const { default: extension } = await import(pathToFileURL(path).href);
  const handlers = new Map<string, (event: object, ctx: object) => Promise<unknown>>();
  extension({ on: (name: string, handler: never) => handlers.set(name, handler) });
  const ctx = { model: { provider: 'openai', id: 'gpt-5' }, cwd: '/home/ann/app', isIdle: vi.fn(() => true) };
  return {
    root,
    server,
    operator,
    ctx,
    emit: (name: string, event: object = {}) => handlers.get(name)?.({ type: name, ...event }, ctx),
    list: async (from = server): Promise<StatusList> =>
      (await from.call('GET', '/api/status', undefined, operator)).body,
  };
};

const END = { messages: [{ role: 'assistant', stopReason: 'stop' }] };
const STOPPED = { messages: [{ role: 'assistant', stopReason: 'aborted' }] };

test('an agent runs, waits for a person, and is done, as pi says', async () => {
  const { emit, list } = await start();
  const shows = (state: string | undefined) =>
    eventually(async () => expect((await list()).agents[0]?.state).toBe(state));
  // A person chose something before the agent worked.
  await emit('ui_prompt_start');
  await emit('ui_prompt_end');
  await emit('agent_start');
  await shows('running');
  const { runs } = (await list()).agents[0] ?? { runs: [] };
  expect(runs).toMatchObject([{ model: 'openai/gpt-5', cwd: '/home/ann/app' }]);
  await emit('ui_prompt_start', { reason: 'ui_prompt', kind: 'confirm' });
  await shows('waiting');
  await emit('ui_prompt_end');
  await shows('running');
  await emit('agent_end', END);
  await emit('agent_settled', { aborted: false });
  await shows('done');
  await emit('agent_start');
  await shows('running');
  // Escape: the person is there, and the work is not done.
  await emit('agent_end', STOPPED);
  await emit('agent_settled', { aborted: true });
  await shows('done');
  expect((await list()).running).toBe(0);
});

test.each([
  ['tmux', { TMUX: '/tmp/tmux-1000/work,12,0', TMUX_PANE: '%3', KITTY_WINDOW_ID: '1' }, 'tmux', '%3'],
  ['kitty', { KITTY_LISTEN_ON: 'unix:/run/user/1000/kitty-5', KITTY_WINDOW_ID: '7' }, 'kitty', null],
  ['WezTerm', { WEZTERM_PANE: '4' }, 'wezterm', null],
  ['a program that dot-mi can’t control', { TERM_PROGRAM: 'vscode' }, 'other', null],
  // dot-mi would refuse the whole report.
  ['a tmux with an odd socket', { TMUX: '/tmp/tmux-1000/a b,12,0', TMUX_PANE: '%3' }, 'other', null],
  ['a kitty that listens elsewhere', { KITTY_LISTEN_ON: 'tcp:evil:5', KITTY_WINDOW_ID: '7' }, 'other', null],
])('says where the run is: %s', async (_name, variables, kind, place) => {
  for (const name of [
    'TMUX',
    'TMUX_PANE',
    'KITTY_WINDOW_ID',
    'KITTY_LISTEN_ON',
    'WEZTERM_PANE',
    'TERM_PROGRAM',
  ])
    vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const { emit, list } = await start();
  await emit('agent_start');
  await eventually(async () => expect((await list()).agents[0]?.runs[0]?.terminal).toMatchObject({ kind }));
  // Tests run with and without a terminal.
  if (place !== null) expect((await list()).agents[0]?.runs[0]?.terminal?.place).toBe(place);
});

test('a version of pi without agent_settled is done a moment after its last turn', {
  tags: 'slow',
}, async () => {
  const { emit, list, ctx } = await start();
  await emit('agent_start');
  ctx.isIdle.mockReturnValue(false);
  await emit('agent_end', END);
  // A retry begins.
  await emit('agent_start');
  await eventually(async () => expect((await list()).running).toBe(1));
  ctx.isIdle.mockReturnValue(true);
  await emit('agent_end', END);
  await eventually(async () => expect((await list()).agents[0]?.state).toBe('done'));
});

test('pi waits for the last report when it ends, but not for a dot-mi that hangs', async () => {
  const { emit, list } = await start();
  await emit('agent_start');
  await emit('agent_end', END);
  await emit('session_shutdown', { reason: 'quit' });
  expect((await list()).agents.map(({ state }) => state)).toEqual(['done']);

  let hasGivenUp = false;
  const hanging = createServer((req) => req.once('close', () => (hasGivenUp = true)));
  hanging.listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  onTestFinished(() => {
    hanging.closeAllConnections();
    hanging.close();
  });
  vi.stubEnv('DOT_MI_URL', `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`);
  await emit('agent_start');
  await emit('session_shutdown', { reason: 'quit' });
  // A report that isn't the last one waits longer.
  expect(hasGivenUp).toBe(false);
});

test('a run that a person ended is neither live nor done', { tags: 'slow' }, async () => {
  const { emit, list } = await start();
  await emit('agent_start');
  await eventually(async () => expect((await list()).running).toBe(1));
  await emit('session_shutdown', { reason: 'quit' });
  expect((await list()).agents).toEqual([]);
});

test('the report is repeated every 10 s, and reaches a dot-mi that was restarted', {
  tags: 'slow',
}, async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { emit, list, server, root } = await start();
  await emit('agent_start');
  await eventually(async () => expect((await list()).running).toBe(1));
  await server.close();
  // Nobody answers.
  await vi.advanceTimersByTimeAsync(10_000);
  const again = await serve(root, { dataDirectory: server.dataDirectory });
  vi.stubEnv('DOT_MI_URL', again.url);
  expect((await list(again)).running).toBe(0);
  await vi.advanceTimersByTimeAsync(10_000);
  await eventually(async () => {
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await list(again)).running).toBe(1);
  });
});

test('an agent key is sent only to a dot-mi that knows it, and is enough where keys are required', {
  tags: 'slow',
}, async () => {
  const { emit, list, server, operator } = await start({ REQUIRE_KEYS: 'true' });
  const create = { label: 'Scout', agent: 'scout', scopes: ['prices'] };
  const { key } = (await server.call('POST', '/api/keys', create, operator)).body;
  vi.stubEnv('DOT_MI_KEY', key);
  for (const { url, seen } of [await startSquatter(), await startSquatter(server.url)]) {
    vi.stubEnv('DOT_MI_URL', url);
    await emit('agent_start');
    await eventually(() => expect(seen.length).toBeGreaterThan(0));
    await emit('agent_settled', { aborted: false });
    expect(seen.join()).not.toContain(key);
  }
  vi.stubEnv('DOT_MI_URL', server.url);
  await emit('agent_start');
  await eventually(async () => expect((await list()).running).toBe(1));
});

test('nothing that goes wrong reaches pi', async () => {
  const { emit, ctx } = await start();
  for (const address of ['no address', 'http://127.0.0.1:1', 'http://127.0.0.1:1/x?y']) {
    vi.stubEnv('DOT_MI_URL', address);
    await emit('agent_start');
    await emit('agent_end', END);
    await emit('agent_settled', { aborted: false });
  }
  ctx.isIdle.mockImplementation(() => {
    throw new Error('this context is stale');
  });
  await emit('agent_start');
  await emit('agent_end', END);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await emit('session_shutdown', { reason: 'reload' });
});
