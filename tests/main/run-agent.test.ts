import { rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { BaseWindow } from 'electron';
import { expect, test } from 'vitest';
import { createAgentRunner } from '../../src/main/run-agent.ts';
import type { TerminalRun } from '../../src/shared/terminal-script.ts';
import { installPi } from '../support/pi-program.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { trustRoot } from '../support/trust.ts';

const WINDOW = {} as BaseWindow;

test('runs an agent of a trusted root in the chosen folder, and offers that folder again', async () => {
  const root = await makeRoot({ 'agents/worker/workspace.conf': 'notes\n', 'agents/worker/pi-args': '' });
  const server = await serve(root);
  let chosen: string | null = '/project';
  let hasTerminal = true;
  const runs: TerminalRun[] = [];
  const offered: string[] = [];
  const run = createAgentRunner({
    server: () => server,
    chooseFolder: async (_window, defaultPath) => {
      offered.push(defaultPath);
      return chosen;
    },
    openTerminal: async (each) => {
      runs.push(each);
      return hasTerminal;
    },
    homeDirectory: '/home/ann',
  });

  await expect(run('scout', WINDOW)).rejects.toThrow(/^This root isn’t trusted yet/);
  expect([offered, runs]).toEqual([[], []]);
  await trustRoot(server);

  const command = `PI_CODING_AGENT_DIR=${root}/agents/scout DOT_MI_URL=${server.url} pi --thinking low`;
  expect(await run('scout', WINDOW)).toEqual({ kind: 'opened', warnings: [] });
  expect(runs.splice(0)).toEqual([{ program: 'pi', command, directory: '/project' }]);
  chosen = null;
  expect(await run('scout', WINDOW)).toEqual({ kind: 'cancelled' });
  expect(offered.splice(0)).toEqual(['/home/ann', '/project']);
  expect(runs).toEqual([]);

  // A workspace agent gets a folder of its own.
  await run('worker', WINDOW);
  expect(offered).toEqual([]);
  expect(runs).toEqual([
    { program: 'pi', command: expect.stringMatching(/workspaces\/worker.* notes /), directory: root },
  ]);

  [chosen, hasTerminal] = ['/project', false];
  expect(await run('scout', WINDOW)).toEqual({ kind: 'no-terminal', command, warnings: [] });
  await expect(run('nobody', WINDOW)).rejects.toThrow('There is no agent "nobody"');
});

test('refuses an agent of a root without a setup script until the root is trusted, and then runs pi by its path', async () => {
  const root = await makeRoot();
  await rm(join(root, 'setup.sh'));
  const searchPath = await installPi(await makeTempDirectory(), '1.5.2');
  const server = await serve(root, { readSearchPath: async () => searchPath });
  const runs: TerminalRun[] = [];
  const run = createAgentRunner({
    server: () => server,
    chooseFolder: async () => '/project',
    openTerminal: async (each) => runs.push(each) > 0,
    homeDirectory: '/home/ann',
  });
  await expect(run('scout', WINDOW)).rejects.toThrow(/^This root isn’t trusted yet/);
  expect(runs).toEqual([]);
  await trustRoot(server);
  expect(await run('scout', WINDOW)).toEqual({ kind: 'opened', warnings: [] });
  // The terminal runs the pi that dot-mi found, whatever the terminal's own PATH has.
  const program = process.platform === 'win32' ? 'pi' : join(searchPath.split(delimiter)[0] ?? '', 'pi');
  expect(runs).toEqual([
    {
      program,
      command: expect.stringContaining(` ${program} --thinking low`),
      directory: '/project',
    },
  ]);
});
