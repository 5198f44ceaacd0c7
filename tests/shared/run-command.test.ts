import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { piArgsIn, runCommand } from '../../src/shared/run-command.ts';

it('leaves a plain path readable', () => {
  expect(runCommand({ path: '/home/me/dot-mi/agents/scout', piArgs: '' })).toBe(
    'PI_CODING_AGENT_DIR=/home/me/dot-mi/agents/scout pi',
  );
});

it('speaks to PowerShell where the path is one of Windows', () => {
  const piArgs = "--tools\nread,grep\n--name\nit's\n";
  expect(runCommand({ path: "C:\\Users\\O'Hara\\agents\\scout", piArgs })).toBe(
    "$env:PI_CODING_AGENT_DIR='C:\\Users\\O''Hara\\agents\\scout'; pi --tools 'read,grep' --name 'it''s'",
  );
});

it('passes pi-args, so that an agent keeps its restrictions', () => {
  const piArgs = '# only these\n--tools\nread,grep\n\n#--model\n--thinking low\r\n';
  expect(piArgsIn(piArgs)).toEqual(['--tools', 'read,grep', '--thinking', 'low']);
  expect(runCommand({ path: '/r/agents/scout', piArgs })).toBe(
    'PI_CODING_AGENT_DIR=/r/agents/scout pi --tools read,grep --thinking low',
  );
});

it('means the same path and arguments to a shell, whatever is in them', ({ skip }) => {
  skip(process.platform === 'win32', 'Windows has no such shell');
  const odd = [
    "/it's/mine",
    '/$HOME/`x`/"q"',
    '/a;b&c|d',
    '/ünï/日本',
    '/~/*',
    '$(id)',
    '~',
    '*',
    '"',
    '--a=b;c',
  ];
  for (const path of [...odd, '/a b/c', '/new\nline']) {
    const command = runCommand({ path, piArgs: odd.join('\n') });
    const script = `pi() { printf '%s\\n' "$PI_CODING_AGENT_DIR" "$@"; }; ${command}`;
    const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(stdout).toBe([path, ...odd, ''].join('\n'));
  }
});
