import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  directoriesIn,
  isWindowsPath,
  piArgsIn,
  type RunnableAgent,
  resumeCommand,
  runCommand,
  workspaceName,
} from '../../src/shared/run-command.ts';

const NOW = new Date(2026, 10, 2, 4, 3, 5);
const SCOUT = '/r/agents/scout';

const commandOf = (agent: Partial<RunnableAgent>) =>
  runCommand({ path: SCOUT, piArgs: '', ...agent } as RunnableAgent, NOW);

const codesOf = (agent: Partial<RunnableAgent>) => commandOf(agent).warnings.map(({ code }) => code);

const workspace = (conf: string) => ({ parent: '/r/workspaces/scout', conf });

it('leaves a plain path readable', () => {
  expect(commandOf({ path: '/home/me/dot-mi/agents/scout' }).posix).toBe(
    'PI_CODING_AGENT_DIR=/home/me/dot-mi/agents/scout pi',
  );
});

it('passes pi-args, so that an agent keeps its restrictions', () => {
  const piArgs = '\uFEFF# only these\n--tools\nread,grep\n\n#--model\n--thinking low\r';
  expect(piArgsIn(piArgs)).toEqual(['--tools', 'read,grep', '--thinking', 'low']);
  expect(commandOf({ piArgs })).toMatchObject({
    posix: 'PI_CODING_AGENT_DIR=/r/agents/scout pi --tools read,grep --thinking low',
    argv: ['pi', '--tools', 'read,grep', '--thinking', 'low'],
    env: { PI_CODING_AGENT_DIR: SCOUT },
    cwd: null,
    directories: [],
  });
});

it('names the API, says that the key of an agent is missing, and never contains one', () => {
  const apiUrl = 'http://127.0.0.1:8123';
  const command = commandOf({ apiUrl, hasKey: true });
  expect(command.env).toEqual({ PI_CODING_AGENT_DIR: SCOUT, DOT_MI_URL: apiUrl });
  expect(command.posix).toMatch(/^\[ -n "\$\{DOT_MI_KEY-\}" \] \|\| echo .* >&2; PI_CODING_AGENT_DIR=/);
  expect(command.powershell).toContain('if (-not $env:DOT_MI_KEY) { Write-Warning ');
  expect(command.powershell).toContain(`$env:DOT_MI_URL = '${apiUrl}'`);
  expect(codesOf({ apiUrl, hasKey: true, workspace: workspace('') })).toEqual(['key_not_included']);
  expect(codesOf({})).toEqual([]);
  expect(commandOf({ apiUrl })).toMatchObject({
    posix: `PI_CODING_AGENT_DIR=${SCOUT} DOT_MI_URL=${apiUrl} pi`,
    env: command.env,
    warnings: [],
  });
  const resumed = resumeCommand(
    { path: SCOUT, piArgs: '', apiUrl, hasKey: true },
    { path: '/s.jsonl', cwd: '/w' },
  );
  expect(resumed.env).toEqual(command.env);
  expect(resumed.warnings.map(({ code }) => code)).toEqual(['key_not_included']);
});

it('gives a workspace agent a new directory, named by date and time', () => {
  expect(workspaceName(NOW)).toBe('2026-11-02_04-03-05');
  const command = commandOf({ workspace: workspace('# for notes\n notes\t\r\n\n-x y\nsessions') });
  expect(command).toMatchObject({
    argv: ['pi', '--session-dir', 'sessions'],
    cwd: '/r/workspaces/scout/2026-11-02_04-03-05',
    directories: ['notes', '-x y', 'sessions'],
    warnings: [],
  });
  expect(command.posix).toMatch(/ && mkdir -p notes '.\/-x y' sessions && PI_CODING_AGENT_DIR=.* pi --/);
  expect(
    runCommand({ path: 'C:\\r\\agents\\x', piArgs: '', workspace: { parent: 'C:\\r\\w', conf: '' } }, NOW)
      .cwd,
  ).toBe('C:\\r\\w\\2026-11-02_04-03-05');
});

it('creates no directory outside the workspace', () => {
  const conf = '/etc\n..\na/../../b\n..\\c\n\\d\nC:\\e\nC:f\nok/deep\n...\n';
  expect(directoriesIn(conf)).toEqual(['ok/deep', '...']);
  const { warnings } = commandOf({ workspace: workspace(conf) });
  expect(warnings).toHaveLength(7);
  expect(warnings[1]).toEqual({
    code: 'directory_ignored',
    message: 'Line 2 of workspace.conf is ignored. Write a path inside the workspace, without "..".',
  });
});

it('warns about what other launchers do differently, and about secrets', () => {
  expect(codesOf({ piArgs: undefined })).toEqual(['pi_args_missing']);
  expect(codesOf({ piArgs: '--thinking low' })).toEqual(['several_arguments']);
  expect(codesOf({ piArgs: '--models\n*sonnet*' })).toEqual(['file_pattern']);
  expect(codesOf({ piArgs: '--api-key\nsk-1' })).toEqual(['secret_argument']);
  expect(codesOf({ piArgs: '--name\nx\u0003' })).toEqual(['control_character']);
  expect(codesOf({ piArgs: '# --api-key *\n--tools\nread\n' })).toEqual([]);
});

it('recognizes a Windows path', () => {
  for (const path of ['C:\\x', 'd:/x', '\\\\server\\x']) expect(isWindowsPath(path)).toBe(true);
  for (const path of ['/c/x', 'x', '/C:\\x']) expect(isWindowsPath(path)).toBe(false);
});

it('gives a shell the same path and arguments, whatever they contain', ({ skip }) => {
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
    '=ls',
    '{a,b}',
    '!!',
    '\u0003x\u001b[2J\u009b',
    '\\',
  ];
  for (const path of [...odd, '/a b/c', '/new\nline', '/a\tb']) {
    const { posix } = commandOf({ path, piArgs: odd.join('\n') });
    expect(posix.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    const script = `pi() { printf '%s\\n' "$PI_CODING_AGENT_DIR" "$@"; }; ${posix}`;
    const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(stdout).toBe([path, ...odd, ''].join('\n'));
  }
});

describe('for PowerShell', () => {
  const powershell = (piArgs: string, path = 'C:\\r\\agents\\scout') =>
    commandOf({ path, piArgs }).powershell;
  const argsOf = (piArgs: string) => /; pi ([^;]*|.*) \} finally \{ /.exec(powershell(piArgs))?.[1];

  it('sets the agent’s directory for this run only', () => {
    expect(powershell('')).toBe(
      "& { $before = $env:PI_CODING_AGENT_DIR; try { $env:PI_CODING_AGENT_DIR = 'C:\\r\\agents\\scout'; pi } finally { $env:PI_CODING_AGENT_DIR = $before } }",
    );
  });

  it.each([
    ['words and flags stay bare', '--tools\nread', '--tools read'],
    ['a comma would create an array', '--tools\nread,grep', "--tools 'read,grep'"],
    ['a dot or colon would split a flag', '-a.b\n-c:d', "'-a.b' '-c:d'"],
    ['numbers would be calculated', '1kb\n0x10\n1e3', "'1kb' '0x10' '1e3'"],
    ['operators, variables and comments', '$x\n@y\n;z\nx#\n`', "'$x' '@y' ';z' 'x#' '`'"],
    ['the end of arguments would be removed', '--', "'--'"],
    ['the sign that stops parsing', '--%', "'--%'"],
    ['single quotes are doubled', "it's", "'it''s'"],
    ['typographic quotes end a text, too', 'a’;b\n‘c‛d‚', "'a’’;b' '‘‘c‛‛d‚‚'"],
    ['backslashes mean nothing', 'C:\\x\\', "'C:\\x\\'"],
    ['control characters are no keys', 'x\u0003y', "('' + 'x' + [char]3 + 'y')"],
  ])('%s', (_, piArgs, expected) => {
    expect(argsOf(piArgs)).toBe(expected);
  });

  it('escapes double quotes where PowerShell doesn’t', () => {
    const command = powershell('a\\"b');
    expect(command).toContain(`('a\\"b' -replace '(\\\\*)"', $q)`);
    expect(command).toContain(`-in 'Standard', 'Windows') { '$1"' } else { '$1$1\\"' }`);
    // The same replacement in JavaScript, for programs that read their command line as C programs do.
    expect('a\\"b'.replace(/(\\*)"/g, '$1$1\\"')).toBe('a\\\\\\"b');
    expect(powershell('--tools\nread')).not.toContain('$q');
  });

  it('refuses to pass cmd.exe text that it would run', () => {
    for (const token of ['a&calc', 'a|b', 'a>b', '%PATH%', 'a^b', 'a"b'])
      expect(powershell(token)).toMatch(/\(cmd\|bat\)\$'\) \{ throw '/);
    expect(powershell('--tools\nread,grep')).not.toContain('throw');
  });

  it('checks the budget first, and throws instead of starting pi', () => {
    const budget = {
      agent: 'scout',
      url: 'http://127.0.0.1:8000/api/agents/scout/budget',
      directory: "C:\\it's\\agents\\scout",
    };
    const { powershell: command } = commandOf({ path: budget.directory, budget });
    expect(command).toMatch(/^& \{ if \(-not \$env:DOT_MI_FORCE\) \{ foreach .* \}; \$before = /);
    expect(command).toContain(
      "-Uri ('http://127.0.0.1:8000/api/agents/scout/budget?directory=' + [uri]::EscapeDataString('C:\\it''s\\agents\\scout'))",
    );
    expect(command).toContain(
      "Test-Path -LiteralPath 'C:\\it''s\\agents\\scout\\extensions\\budget-guard.ts'",
    );
    expect(command).toContain(
      "if ($b.exceeded) { throw 'scout was not started: its budget is used up. Raise it in dot-mi, or set $env:DOT_MI_FORCE to run the agent anyway.' }",
    );
    expect(command.split('{').length, 'each block is closed').toBe(command.split('}').length);
    expect(commandOf({ path: budget.directory }).powershell).not.toContain('Invoke-RestMethod');
  });

  it('creates and leaves the workspace', () => {
    const conf = "it's\n[a]\n";
    const { powershell: command } = runCommand(
      { path: 'C:\\r\\agents\\x', piArgs: '', workspace: { parent: "C:\\O'Hara\\w", conf } },
      NOW,
    );
    expect(command).toContain("$w = [IO.Path]::Combine('C:\\O''Hara\\w', [DateTime]::Now.ToString(");
    expect(command).toContain("while (Test-Path -LiteralPath $w) { $w += '-2' }");
    expect(command).toContain("CreateDirectory([IO.Path]::Combine($w, 'it''s'))");
    expect(command).toContain("CreateDirectory([IO.Path]::Combine($w, '[a]'))");
    expect(command).toMatch(
      /Push-Location -LiteralPath \$w; try \{ .* \} finally \{ .*; Pop-Location \} \}$/,
    );
  });
});
