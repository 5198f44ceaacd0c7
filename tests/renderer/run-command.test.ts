import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { runCommand } from '../../src/renderer/src/features/agents/run-command.ts';

it('leaves a plain path readable', () => {
  expect(runCommand('/home/me/dot-mi/agents/scout')).toBe(
    'PI_CODING_AGENT_DIR=/home/me/dot-mi/agents/scout pi',
  );
});

it('speaks to PowerShell where the path is one of Windows', () => {
  expect(runCommand("C:\\Users\\O'Hara\\agents\\scout")).toBe(
    "$env:PI_CODING_AGENT_DIR='C:\\Users\\O''Hara\\agents\\scout'; pi",
  );
});

it('means the same path to a shell, whatever is in it', ({ skip }) => {
  skip(process.platform === 'win32', 'Windows has no such shell');
  for (const path of [
    '/a b/c',
    "/it's/mine",
    '/$HOME/`x`/"q"',
    '/a;b&c|d',
    '/ünï/日本',
    '/new\nline',
    '/~/*',
  ]) {
    const command = runCommand(path).replace(/ pi$/, ` sh -c 'printf %s "$PI_CODING_AGENT_DIR"'`);
    expect(spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout).toBe(path);
  }
});
