/** POST /api/agents/:id/status/terminal, with a real tmux where there is one, and stand-ins for the other programs. */
import { spawn, spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findProgram } from '../../src/server/platform/installed-pi.ts';
import { createTerminals } from '../../src/server/status/show-terminal.ts';
import type { ReportedTerminal } from '../../src/shared/api/status.ts';
import { eventually } from '../support/eventually.ts';
import { plant } from '../support/plant.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { skipAll } from '../support/skip-all.ts';
import { makeTempDirectory } from '../support/temp.ts';

const HERE = { host: hostname() };

const start = async (tools: readonly string[] = [], more = '/usr/bin:/bin') => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'You carry.\n' });
  const directory = await makeTempDirectory();
  const bin = join(directory, 'bin');
  const record = join(directory, 'ran');
  const script = `#!/bin/sh\nprintf '%s\\n' "\${0##*/}" "$@" >'${record}'\n`;
  await plant(directory, {
    'bin/': null,
    ...Object.fromEntries(tools.map((name) => [`bin/${name}`, { script }])),
  });
  const server = await serve(root, { readSearchPath: async () => `${bin}:${more}` });
  const report = (terminal: object, agent = 'scout') =>
    server.call('POST', `/api/agents/${agent}/status`, { run: 'one', state: 'waiting', terminal });
  const show = (agent = 'scout') => server.asOperator('POST', `/api/agents/${agent}/status/terminal`);
  const ran = async () => (await readFile(record, 'utf8').catch(() => '')).trimEnd().split('\n');
  return { directory, server, report, show, ran };
};

test('only the operator shows a terminal, and only one that a run reported', async () => {
  const { server, report, show } = await start();
  await report({ ...HERE, wezterm: { pane: 1 } });
  const path = '/api/agents/scout/status/terminal';
  expect((await server.call('POST', path)).body.code).toBe('operator_required');
  const { key } = (
    await server.asOperator('POST', '/api/keys', { label: 'x', agent: 'scout', scopes: ['read-agents'] })
  ).body;
  const headers = { Authorization: `Bearer ${key}` };
  expect((await server.call('POST', path, undefined, headers)).body.code).toBe('operator_required');
  const { body } = await server.call('GET', '/api/status', undefined, headers);
  expect(body.agents[0].runs[0]).not.toHaveProperty('terminal');
  expect((await show('courier')).body.code).toBe('terminal_not_shown');
  expect((await show('nobody')).body.code).toBe('agent_not_found');
});

test.each<[string, object]>([
  ['a path for tmux’s socket', { tmux: { socket: '/tmp/evil', pane: '%1' } }],
  ['a way out of tmux’s directory', { tmux: { socket: '..', pane: '%1' } }],
  ['an option as the socket', { tmux: { socket: '-f', pane: '%1' } }],
  ['a command instead of a pane', { tmux: { socket: 'default', pane: '%1 ; run-shell id' } }],
  ['a format instead of a pane', { tmux: { socket: 'default', pane: '#(id)' } }],
  ['a kitty elsewhere', { kitty: { socket: 'tcp:evil:1', window: 1 } }],
  ['a query instead of a window', { kitty: { socket: '/run/k', window: '1 or all' } }],
  ['an option instead of a pane', { wezterm: { pane: '--help' } }],
  ['AppleScript instead of a tty', { tty: '/dev/ttys1" & (do shell script "id") & "' }],
  ['a program', { file: '/bin/sh' }],
  ['another host’s name with a line', { host: 'a\nb' }],
])('a report with %s is refused', async (_name, terminal) => {
  const { report } = await start();
  expect((await report({ ...HERE, ...terminal })).body.code).toBe('invalid_request');
});

describe('where the run reported', () => {
  skipAll(process.platform === 'win32' ? 'the stand-ins are shell scripts' : undefined);

  test('WezTerm gets the pane as one argument', async () => {
    const { report, show, ran, server } = await start(['wezterm']);
    await report({ ...HERE, wezterm: { pane: 12 } });
    const { agents } = (await server.asOperator('GET', '/api/status')).body;
    expect(agents[0].runs[0].terminal).toEqual({ kind: 'wezterm', place: null, canShow: true });
    expect((await show()).body).toEqual({ ok: true });
    expect(await ran()).toEqual(['wezterm', 'cli', 'activate-pane', '--pane-id', '12']);
  });

  test('kitty gets the window, through a socket that belongs to this user', async () => {
    const { directory, report, show, ran } = await start(['kitten']);
    const socket = join(directory, 'kitty-1');
    await report({ ...HERE, kitty: { socket, window: 7 } });
    const gone = { code: 'terminal_not_shown', error: 'The terminal of this run isn’t there anymore.' };
    expect((await show()).body).toMatchObject(gone);
    await plant(directory, { 'kitty-1': 'no socket' });
    expect((await show()).body).toMatchObject(gone);
    await rm(socket);
    const listening = createServer().listen(socket);
    onTestFinished(() => void listening.close());
    await eventually(async () => expect((await show()).body).toEqual({ ok: true }));
    expect(await ran()).toEqual(['kitten', '@', '--to', `unix:${socket}`, 'focus-window', '--match', 'id:7']);
  });

  test('on macOS, the app gets the tty as an argument of a fixed script', async () => {
    const { directory, ran } = await start(['osascript']);
    const terminals = createTerminals({
      platform: 'darwin',
      hostName: 'mac',
      readSearchPath: async () => join(directory, 'bin'),
      environment: {},
      systemRoot: '',
      findProgram,
    });
    const terminal: ReportedTerminal = { host: 'mac', tty: '/dev/ttys003', program: 'iTerm.app' };
    expect(terminals.view(terminal)).toEqual({ kind: 'iterm2', place: '/dev/ttys003', canShow: true });
    // The stand-in doesn't print that it found the tab.
    await expect(terminals.show(terminal)).rejects.toThrow('isn’t there anymore');
    const lines = await ran();
    expect([lines.slice(0, 3), lines.at(-1)]).toEqual([
      ['osascript', '-e', 'on run {wanted}'],
      '/dev/ttys003',
    ]);
  });

  test('a terminal of another computer or an unknown program isn’t shown, and a missing program is named', async () => {
    const { report, show, server, ran } = await start(['wezterm'], '/nowhere');
    const canShow = async () =>
      (await server.asOperator('GET', '/api/status')).body.agents[0].runs[0].terminal.canShow;
    await report({ host: 'elsewhere', wezterm: { pane: 1 } });
    expect([await canShow(), (await show()).body.code]).toEqual([false, 'terminal_not_shown']);
    await report({ ...HERE, program: 'vscode', tty: '/dev/pts/3' });
    expect([await canShow(), (await show()).body.code]).toEqual([false, 'terminal_not_shown']);
    expect(await ran()).toEqual(['']);
    await report({ ...HERE, tmux: { socket: 'default', pane: '%1' } });
    expect((await show()).body.error).toBe('dot-mi can’t find tmux on its PATH.');
  });
});

describe('in a real tmux', () => {
  skipAll(spawnSync('tmux', ['-V']).error ? 'tmux isn’t installed' : undefined);

  test('the pane is selected, but only the one with the tty of the run, and a client shows it', async () => {
    const { directory, report, show } = await start();
    vi.stubEnv('TMUX_TMPDIR', directory);
    onTestFinished(() => void vi.unstubAllEnvs());
    const again = await start();
    const tmux = (...args: string[]) => {
      const { stdout, stderr } = spawnSync('tmux', ['-L', 'work', ...args], { encoding: 'utf8' });
      return (stdout || stderr).trim();
    };
    onTestFinished(() => void tmux('kill-server'));
    tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'one', 'sleep 1000');
    const pane = tmux('new-window', '-d', '-P', '-F', '#{pane_id}', 'sleep 1000');
    const tty = tmux('display-message', '-p', '-t', pane, '#{pane_tty}');
    const active = () => tmux('display-message', '-p', '-t', 'one', '#{pane_id}');
    expect(active()).not.toBe(pane);
    const terminal = { ...HERE, tmux: { socket: 'work', pane }, tty };
    await again.report(terminal);
    // Nobody sees this session.
    expect((await again.show()).body.error).toBe(
      'Its tmux session isn’t open in a terminal. Run: tmux -L work attach',
    );
    expect(active()).toBe(pane);

    tmux('select-window', '-t', 'one:0');
    await again.report({ ...terminal, tty: '/dev/pts/9999' });
    expect((await again.show()).body.error).toBe('The terminal of this run isn’t there anymore.');
    expect(active()).not.toBe(pane);

    // A client on another session is switched to the pane.
    tmux('new-session', '-d', '-s', 'two', 'sleep 1000');
    const client = spawn('script', ['-qec', 'tmux -L work attach -t two', '/dev/null'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...process.env, TERM: 'xterm' },
    });
    onTestFinished(() => void client.kill());
    await eventually(() => expect(tmux('list-clients', '-F', '#{session_name}')).toBe('two'));
    await again.report(terminal);
    expect((await again.show()).body).toEqual({ ok: true });
    expect([tmux('list-clients', '-F', '#{session_name}'), active()]).toEqual(['one', pane]);

    await report({ ...HERE, tmux: { socket: 'nothing', pane: '%1' } });
    expect((await show()).body.code).toBe('terminal_not_shown');
  });
});
