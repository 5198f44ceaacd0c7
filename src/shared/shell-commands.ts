/** A run of an agent, independent of any shell. */
export interface Run {
  /** `pi` and its arguments. */
  readonly argv: readonly string[];
  /** The environment variables that are set for pi, in addition to what it inherits. */
  readonly env: Readonly<Record<string, string>>;
  /** The directory for its workspaces. Null if the agent runs in the current directory. */
  readonly workspaceParent: string | null;
  /** The directories to create in a new workspace, relative to it. */
  readonly directories: readonly string[];
  /** The directory to run in, if it isn't a new workspace. Undefined for the current directory. */
  readonly cwd?: string | undefined;
  /** True if pi should inherit the agent's key. The commands print a warning if the key isn't set. */
  readonly usesKey?: boolean;
  /** A check before the run: a POSIX command, and PowerShell statements. If it fails or throws, nothing starts. */
  readonly check?: { readonly posix: string; readonly powershell: string } | undefined;
}

/** The environment variable of an agent's key. No command contains a key, because shells keep a history. */
export const KEY_VARIABLE = 'DOT_MI_KEY';

const KEY_MISSING = `${KEY_VARIABLE} is not set, so dot-mi does not know which agent this is.`;

/** Splits text into runs of control characters, except line feeds, and runs of other characters. */
const pieces = (text: string): string[] => text.match(/[^\P{Cc}\n]+|(?:\P{Cc}|\n)+/gu) ?? [];

const octal = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

/**
 * Quotes text as one word for a POSIX shell. Plain text stays readable.
 *
 * SECURITY: control characters in a pasted command act as keys. Ctrl+C would end the quotes. So printf writes them.
 */
export const quotedPosix = (text: string): string => {
  if (/^[A-Za-z0-9_\-./:@%+,]+$/.test(text)) return text;
  if (text === '') return "''";
  return pieces(text)
    .map((piece) =>
      /^[^\P{Cc}\n]/u.test(piece) ? `"$(printf '${octal(piece)}')"` : `'${piece.replaceAll("'", `'\\''`)}'`,
    )
    .join('');
};

/** Returns a path that `mkdir` doesn't read as an option. */
const asOperand = (path: string): string => (path.startsWith('-') ? `./${path}` : path);

/**
 * Returns a run as one command for bash, dash, zsh and other POSIX shells. With a workspace, it runs in a subshell, so
 * that the terminal stays in its directory.
 */
export const posixCommand = (run: Run): string => {
  const { argv, env, workspaceParent, directories, cwd, usesKey, check } = run;
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${quotedPosix(value)}`);
  const pi = [...assignments, ...argv.map(quotedPosix)].join(' ');
  const checkKey = usesKey ? `[ -n "\${${KEY_VARIABLE}-}" ] || echo ${quotedPosix(KEY_MISSING)} >&2; ` : '';
  const checks = check ? `${checkKey}${check.posix} && ` : checkKey;
  if (workspaceParent === null)
    return `${checks}${cwd === undefined ? pi : `(cd -- ${quotedPosix(cwd)} && ${pi})`}`;
  const parent = quotedPosix(workspaceParent);
  const steps = [
    `mkdir -p ${parent}`,
    // Without -p, so that it never uses another run's directory.
    'mkdir "$w"',
    'cd "$w"',
    ...(directories.length > 0
      ? [`mkdir -p ${directories.map((path) => quotedPosix(asOperand(path))).join(' ')}`]
      : []),
    pi,
  ];
  return `${checks}(w=${parent}/$(date +%Y-%m-%d_%H-%M-%S); while [ -e "$w" ]; do w=$w-2; done; ${steps.join(' && ')})`;
};

/** The characters that end a single-quoted string in PowerShell, including typographic quotes. */
const SINGLE_QUOTES = /['\u2018\u2019\u201a\u201b]/g;

/** The characters that cmd.exe would interpret in an argument without spaces. */
const CMD_CHARACTERS = /["%&|<>^]/;

/**
 * Returns text as a PowerShell expression (about_Quoting_Rules): single quotes are doubled. Control characters become
 * `[char]`, because a terminal could read them as keys when somebody pastes the command.
 */
export const quotedPowerShell = (text: string): string => {
  const quote = (piece: string) => `'${piece.replace(SINGLE_QUOTES, '$&$&')}'`;
  const parts = text.match(/[^\P{Cc}\n]|(?:\P{Cc}|\n)+/gu) ?? [''];
  if (parts.length === 1 && !/^[^\P{Cc}\n]$/u.test(text)) return quote(text);
  const terms = parts.map((part) =>
    /^[^\P{Cc}\n]$/u.test(part) ? `[char]${part.codePointAt(0)}` : quote(part),
  );
  // A string must be first, because PowerShell would add characters as numbers.
  return `(${["''", ...terms].join(' + ')})`;
};

/**
 * Returns text as one argument. Words and flags stay bare. PowerShell would read other bare text as numbers, arrays or
 * operators, and would split `-a.b`.
 *
 * Windows PowerShell 5.1 and PowerShell before 7.3 don't escape double quotes for native programs
 * (about_Parsing, "Passing arguments that contain quote characters"), so `$q` escapes them where necessary.
 */
const argument = (text: string): string => {
  if (/^(--?)?[A-Za-z_][A-Za-z0-9_-]*$/.test(text)) return text;
  const quoted = quotedPowerShell(text);
  return text.includes('"') ? `(${quoted} -replace '(\\\\*)"', $q)` : quoted;
};

/** Sets `$q`, the replacement for a double quote and the backslashes before it. */
const SET_QUOTE_ESCAPE =
  "$q = if (\"$(Get-Variable PSNativeCommandArgumentPassing -ValueOnly -ErrorAction Ignore)\" -in 'Standard', 'Windows') { '$1\"' } else { '$1$1\\\"' }";

/** SECURITY: cmd.exe would run what follows an `&` in an argument of a batch file. */
const REFUSE_BATCH_FILE =
  "if (\"$((Get-Command pi -ErrorAction Stop).Source)\" -match '\\.(cmd|bat)$') { throw 'cmd.exe would misread the special characters in pi-args. Remove them, or install pi with npm, which adds pi.ps1.' }";

const STAMP =
  "[DateTime]::Now.ToString('yyyy-MM-dd_HH-mm-ss', [Globalization.CultureInfo]::InvariantCulture)";

const createWorkspace = (parent: string, directories: readonly string[]): string[] => [
  `$w = [IO.Path]::Combine(${quotedPowerShell(parent)}, ${STAMP})`,
  "while (Test-Path -LiteralPath $w) { $w += '-2' }",
  // Without -Force, so that it never uses another run's directory.
  '$null = New-Item -ItemType Directory -Path $w -ErrorAction Stop',
  ...directories.map(
    (path) => `$null = [IO.Directory]::CreateDirectory([IO.Path]::Combine($w, ${quotedPowerShell(path)}))`,
  ),
];

/**
 * Returns a run as one command for Windows PowerShell 5.1 and PowerShell 7. It restores the environment and the
 * directory of the session when pi ends.
 */
export const powerShellCommand = (run: Run): string => {
  const { argv, env, workspaceParent, directories, cwd, usesKey, check } = run;
  const [program = '', ...args] = argv;
  const names = Object.keys(env);
  const isElsewhere = workspaceParent !== null || cwd !== undefined;
  const before = [
    ...(usesKey ? [`if (-not $env:${KEY_VARIABLE}) { Write-Warning ${quotedPowerShell(KEY_MISSING)} }`] : []),
    ...(check ? [check.powershell] : []),
    ...(args.some((text) => CMD_CHARACTERS.test(text)) ? [REFUSE_BATCH_FILE] : []),
    ...(args.some((text) => text.includes('"')) ? [SET_QUOTE_ESCAPE] : []),
    ...(workspaceParent === null ? [] : createWorkspace(workspaceParent, directories)),
    ...(workspaceParent === null && cwd !== undefined
      ? [`$w = (Resolve-Path -LiteralPath ${quotedPowerShell(cwd)} -ErrorAction Stop).Path`]
      : []),
    `$before = ${names.map((name) => `$env:${name}`).join(', ')}`,
    ...(isElsewhere ? ['Push-Location -LiteralPath $w'] : []),
  ];
  const inside = [
    ...Object.entries(env).map(([name, value]) => `$env:${name} = ${quotedPowerShell(value)}`),
    [program, ...args.map(argument)].join(' '),
  ];
  const after = [
    `${names.map((name) => `$env:${name}`).join(', ')} = $before`,
    ...(isElsewhere ? ['Pop-Location'] : []),
  ];
  return `& { ${before.join('; ')}; try { ${inside.join('; ')} } finally { ${after.join('; ')} } }`;
};
