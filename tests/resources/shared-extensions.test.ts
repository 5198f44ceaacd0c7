/** resources/starter-root/shared/extensions, driven through a stand-in for pi. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { descriptionOf } from '../../src/server/catalog/extension-text.ts';
import { STARTER_ROOT } from './support.ts';

type Handler = (event: Record<string, unknown>, ctx: unknown) => Promise<unknown>;

/** The part of pi's extension API that the extensions use. */
function fakePi() {
  const handlers = new Map<string, Handler[]>();
  const api = {
    on: (event: string, handler: Handler) => handlers.set(event, [...(handlers.get(event) ?? []), handler]),
    getAllTools: () => ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'].map((name) => ({ name })),
    setActiveTools: vi.fn(),
    setModel: vi.fn(async () => true),
    exec: vi.fn(async () => ({ stdout: '', stderr: '', code: 0, killed: false })),
  };
  const ctx = {
    hasUI: true,
    cwd: '/home/ann/app',
    isIdle: () => true,
    modelRegistry: { find: vi.fn((provider: string, id: string): unknown => ({ provider, id })) },
    ui: { notify: vi.fn(), confirm: vi.fn(async () => false), setHeader: vi.fn() },
  };
  const emit = async (event: string, data: Record<string, unknown> = {}): Promise<unknown> => {
    let last: unknown;
    for (const handler of handlers.get(event) ?? []) last = await handler({ type: event, ...data }, ctx);
    return last;
  };
  return { api, ctx, emit };
}

// Imported by a computed path: the files belong to pi's world, whose package is not installed here.
async function load<T>(file: string): Promise<T & { default: (pi: unknown) => void }> {
  return await import(pathToFileURL(join(STARTER_ROOT, 'shared', 'extensions', file)).href);
}

let agentDir: string;

beforeEach(async () => {
  agentDir = await mkdtemp(join(tmpdir(), 'agent-'));
  vi.stubEnv('PI_CODING_AGENT_DIR', agentDir);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.useRealTimers();
  await rm(agentDir, { recursive: true, force: true });
});

describe('agent-prompt.ts', () => {
  async function startWith(
    agentMd: string | undefined,
    event: Record<string, unknown> = { reason: 'startup' },
  ) {
    if (agentMd !== undefined) await writeFile(join(agentDir, 'AGENT.md'), agentMd);
    const pi = fakePi();
    (await load('agent-prompt.ts')).default(pi.api);
    await pi.emit('session_start', event);
    return pi;
  }

  test('sets the tools and the model and adds the text to the prompt', async () => {
    const { api, ctx, emit } = await startWith(
      '---\ntools: read, grep\nmodel: openrouter/qwen/coder\n---\n\nBe brief.\n',
    );
    expect(api.setActiveTools).toHaveBeenCalledWith(['read', 'grep']);
    expect(api.setModel).toHaveBeenCalledWith({ provider: 'openrouter', id: 'qwen/coder' });
    expect(await emit('before_agent_start', { systemPrompt: 'You are x.' })).toEqual({
      systemPrompt: 'You are x.\n\nBe brief.',
    });
    expect(ctx.ui.notify).not.toHaveBeenCalled();
  });

  test('sets a section of the prompt if pi has sections, and removes it with the text', async () => {
    const { emit } = await startWith('Be brief.\n');
    const systemPromptOptions = { sections: { other: 'x' } };
    const event = { systemPrompt: 'You are x.', systemPromptOptions };
    expect(await emit('before_agent_start', event)).toBeUndefined();
    expect(systemPromptOptions.sections).toEqual({ other: 'x', agent: 'Be brief.' });
    await writeFile(join(agentDir, 'AGENT.md'), '');
    await emit('session_start', { reason: 'new' });
    await emit('before_agent_start', event);
    expect(systemPromptOptions.sections).toEqual({ other: 'x' });
    // Before 0.87 there are options without sections.
    expect(await emit('before_agent_start', { ...event, systemPromptOptions: {} })).toBeUndefined();
  });

  test('changes nothing without AGENT.md', async () => {
    const { api, ctx, emit } = await startWith(undefined);
    expect(api.setActiveTools).not.toHaveBeenCalled();
    expect(api.setModel).not.toHaveBeenCalled();
    expect(await emit('before_agent_start', { systemPrompt: 'You are x.' })).toBeUndefined();
    expect(ctx.ui.notify).not.toHaveBeenCalled();
  });

  test('does not switch other tools on because one is misspelled', async () => {
    const { api, ctx } = await startWith('---\ntools: raed\n---\n');
    expect(api.setActiveTools).toHaveBeenCalledWith([]);
    expect(ctx.ui.notify).toHaveBeenCalledWith(expect.stringContaining('raed'), 'warning');
  });

  test('keeps the model of a resumed session, and one typed on the command line', async () => {
    const file = '---\nmodel: a/b\n---\n';
    expect((await startWith(file, { reason: 'resume' })).api.setModel).not.toHaveBeenCalled();
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'pi', '--model', 'c/d']);
    expect((await startWith(file)).api.setModel).not.toHaveBeenCalled();
  });

  test.each([
    {
      text: '---\r\ntools: read , "ls"\r\n---\r\nBody\r\n',
      expected: { tools: ['read', 'ls'], body: 'Body' },
    },
    {
      text: '\uFEFF---\ntools: [read, ls] # only these\nname: x\n---\n',
      expected: { tools: ['read', 'ls'], body: '' },
    },
    {
      text: 'No frontmatter\n---\ntools: read\n---',
      expected: { body: 'No frontmatter\n---\ntools: read\n---' },
    },
    { text: '', expected: { body: '' } },
  ])('reads $text', async ({ text, expected }) => {
    const { parseAgentFile } = await load<{ parseAgentFile: (text: string) => unknown }>('agent-prompt.ts');
    expect(parseAgentFile(text)).toEqual({ ...expected, problems: [] });
  });

  test.each([
    { text: '---\ntools: read\n', problem: /never closed/ },
    { text: '---\ntools:\n  - read\n---\n', problem: /comma list/ },
    { text: '---\nmodel: sonnet\n---\n', problem: /provider\/id/ },
  ])('says what is wrong with $text', async ({ text, problem }) => {
    const { ctx, api } = await startWith(text);
    expect(ctx.ui.notify).toHaveBeenCalledWith(expect.stringMatching(problem), 'warning');
    expect(api.setModel).not.toHaveBeenCalled();
  });
});

// What it answers to which command: bash-guardrails.test.ts.
describe('bash-guardrails', () => {
  async function call(command: unknown, { hasUI = true, says = false, toolName = 'bash' } = {}) {
    const pi = fakePi();
    pi.ctx.hasUI = hasUI;
    pi.ctx.ui.confirm.mockResolvedValue(says);
    (await load('bash-guardrails/index.ts')).default(pi.api);
    return {
      result: await pi.emit('tool_call', { toolName, input: { command } }),
      confirm: pi.ctx.ui.confirm,
    };
  }

  test('lets the user decide when there is one', async () => {
    expect((await call('git clean -fdx', { says: true })).result).toBeUndefined();
    expect((await call('git clean -fdx')).result).toMatchObject({ block: true, reason: /refused/ });
  });

  test('refuses when nobody can be asked', async () => {
    const { result, confirm } = await call('git clean -fdx', { hasUI: false, says: true });
    expect(result).toMatchObject({ block: true });
    expect(confirm).not.toHaveBeenCalled();
  });

  test('does not even ask about the worst commands', async () => {
    const { result, confirm } = await call('rm -rf /', { says: true });
    expect(result).toMatchObject({ block: true });
    expect(confirm).not.toHaveBeenCalled();
  });

  test('shows the command without characters that could hide a part of it', async () => {
    const { confirm } = await call('git clean -fdx\u001b[2K\u202e #');
    expect(confirm).toHaveBeenCalledWith(
      'Run it?',
      expect.stringMatching(/git clean -fdx\uFFFD\[2K\uFFFD #$/),
    );
  });

  test('asks about a command that is nested too deeply to read', async () => {
    const { confirm } = await call('('.repeat(10_000));
    expect(confirm).toHaveBeenCalledTimes(1);
    expect((await call('('.repeat(10_000), { hasUI: false })).result).toMatchObject({ block: true });
  });

  test('promises a seat belt, not a wall, wherever it describes itself', async () => {
    const directory = join(STARTER_ROOT, 'shared', 'extensions', 'bash-guardrails');
    const description = descriptionOf(await readFile(join(directory, 'index.ts'), 'utf8'));
    expect(description).toMatch(/^A seat belt, not a wall: asks before/);
    const head = descriptionOf(await readFile(join(directory, 'rules.ts'), 'utf8'));
    expect(head).toMatch(/a seat belt, not a wall/i);
    expect(await readFile(join(STARTER_ROOT, 'README.md'), 'utf8')).toMatch(/a seat belt, not a wall/);
    expect(`${description} ${head}`).not.toMatch(/\b(stops|prevents|protects|secures|guarantees)\b/i);
  });

  test('leaves other tools and other commands alone', async () => {
    expect((await call('rm -rf /', { toolName: 'write' })).result).toBeUndefined();
    expect((await call('ls')).result).toBeUndefined();
    expect((await call(undefined)).result).toBeUndefined();
  });
});

describe('startup-branding.ts', () => {
  const theme = { fg: (_color: string, text: string) => text, bold: (text: string) => text };

  async function header(width = 80): Promise<string[] | undefined> {
    const pi = fakePi();
    (await load('startup-branding.ts')).default(pi.api);
    await pi.emit('session_start', { reason: 'startup' });
    const factory = pi.ctx.ui.setHeader.mock.calls[0]?.[0] as
      | ((tui: unknown, colors: unknown) => { render: (width: number) => string[] })
      | undefined;
    return factory?.(undefined, theme).render(width);
  }

  test('shows the banner, and the text below the line', async () => {
    await writeFile(join(agentDir, 'banner.txt'), '┌─┐\r\n\tart\n---\nwhat it does\n\n');
    expect(await header()).toEqual(['', ' ┌─┐', '     art', ' what it does', '']);
  });

  test('shows the name of an agent that has no banner', async () => {
    expect(await header()).toEqual(['', ` ${agentDir.split('/').at(-1)}`, '']);
  });

  test('leaves the header of plain pi alone', async () => {
    vi.stubEnv('PI_CODING_AGENT_DIR', undefined);
    expect(await header()).toBeUndefined();
  });

  test('never writes a line that is wider than the terminal or moves the cursor', async () => {
    await writeFile(
      join(agentDir, 'banner.txt'),
      `${'漢'.repeat(30)}\n${'🎉'.repeat(30)}\n\u001b[2Jx\n${'a\n'.repeat(50)}`,
    );
    const lines = (await header(21)) ?? [];
    expect(lines.slice(1, 4)).toEqual([` ${'漢'.repeat(10)}`, ` ${'🎉'.repeat(10)}`, ' [2Jx']);
    expect(lines.length).toBeLessThan(20);
  });
});

describe('run-finish-notify.ts', () => {
  const user = { role: 'user', content: 'x' };

  async function startRun({ isTTY = true } = {}) {
    vi.useFakeTimers();
    vi.stubEnv('SSH_CONNECTION', undefined);
    vi.stubEnv('SSH_TTY', undefined);
    vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
    const bell = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const wasTTY = process.stdout.isTTY;
    process.stdout.isTTY = isTTY;
    const pi = fakePi();
    (await load('run-finish-notify.ts')).default(pi.api);
    await pi.emit('agent_start');
    const settle = async (): Promise<void> => {
      await vi.advanceTimersByTimeAsync(1000);
      process.stdout.isTTY = wasTTY;
    };
    return { ...pi, bell, settle };
  }

  test('notifies once when a long run has ended, in old and new versions of pi', async () => {
    const { api, emit, settle } = await startRun();
    await vi.advanceTimersByTimeAsync(42_000);
    await emit('agent_end', { messages: [user] });
    await emit('agent_settled', { aborted: false });
    await settle();
    expect(api.exec).toHaveBeenCalledTimes(1);
    expect(api.exec).toHaveBeenCalledWith(
      'osascript',
      expect.arrayContaining(['Ready after 42 s.']),
      expect.anything(),
    );
  });

  test('rings the bell when the notification cannot be shown', async () => {
    const { api, bell, emit, settle } = await startRun();
    api.exec.mockResolvedValue({ stdout: '', stderr: '', code: 1, killed: false });
    await vi.advanceTimersByTimeAsync(42_000);
    await emit('agent_end', { messages: [user] });
    await settle();
    expect(bell).toHaveBeenCalledWith('\x07');
  });

  test.each([
    { what: 'a short run', seconds: 3, messages: [user], options: {} },
    {
      what: 'an aborted run',
      seconds: 42,
      messages: [{ role: 'assistant', stopReason: 'aborted' }],
      options: {},
    },
    { what: 'a run without a terminal', seconds: 42, messages: [user], options: { isTTY: false } },
  ])('is silent after $what', async ({ seconds, messages, options }) => {
    const { api, bell, emit, settle } = await startRun(options);
    await vi.advanceTimersByTimeAsync(seconds * 1000);
    await emit('agent_end', { messages });
    await settle();
    expect(api.exec).not.toHaveBeenCalled();
    expect(bell).not.toHaveBeenCalled();
  });

  test('waits for the last of several attempts', async () => {
    const { api, emit, settle } = await startRun();
    await vi.advanceTimersByTimeAsync(20_000);
    await emit('agent_end', { messages: [user] });
    await emit('agent_start');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(api.exec).not.toHaveBeenCalled();
    await emit('agent_end', { messages: [user] });
    await settle();
    expect(api.exec).toHaveBeenCalledTimes(1);
  });

  test('passes texts as arguments, and shows nothing on the wrong desktop', async () => {
    const { notifier } = await load<{
      notifier: (platform: string, env: Record<string, string>, title: string, body: string) => unknown;
    }>('run-finish-notify.ts');
    const title = '" & (do shell script "x") & "';
    expect(notifier('linux', { DISPLAY: ':0' }, title, 'b')).toEqual([
      'notify-send',
      ['--app-name=pi', '--', title, 'b'],
    ]);
    expect(notifier('darwin', {}, title, 'b')).toEqual([
      'osascript',
      ['-e', expect.not.stringContaining('x'), title, 'b'],
    ]);
    expect(notifier('linux', {}, title, 'b')).toBeUndefined();
    expect(notifier('win32', {}, title, 'b')).toBeUndefined();
    expect(notifier('darwin', { SSH_TTY: '/dev/pts/0' }, title, 'b')).toBeUndefined();
  });
});
