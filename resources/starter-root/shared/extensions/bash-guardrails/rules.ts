/**
 * What an agent must not run unasked. A seat belt, not a wall: it stops mistakes that cannot be undone,
 * and whoever wants to get around it can. Against that only a container or another user account helps.
 */
import { posix } from 'node:path';
import { readCommands, type SimpleCommand } from './shell-words.ts';

/** `block`: never. `ask`: only when the user, having seen it, says yes. `why` is a sentence. */
export interface Verdict {
  action: 'block' | 'ask';
  why: string;
}

/** Where the command would run; absolute paths. */
export interface Place {
  home: string;
  cwd: string;
}

const block = (why: string): Verdict => ({ action: 'block', why });
const ask = (why: string): Verdict => ({ action: 'ask', why });

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish']);
const INTERPRETERS = new Set([...SHELLS, 'python', 'python3', 'node', 'perl', 'ruby']);
const RUNS_DOWNLOAD = ask('it runs a program straight from the network');
const isDownloaded = (sources: string[]): boolean =>
  sources.some((source) => /^(curl|wget)$/.test(posix.basename(source)));
const KEYWORDS = new Set(['!', 'if', 'then', 'elif', 'else', 'while', 'until', 'do', 'time', 'coproc']);
const DISK = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|r?disk|md|dm-|mapper\/)/;
const DISK_WRITERS = /^(mkfs(\..+)?|mkswap|wipefs|blkdiscard|shred|dd|tee)$/;
const MACOS_DIRS = 'Applications Library System Users Volumes';
const LINUX_DIRS = 'bin boot dev etc home lib lib32 lib64 media mnt opt proc root run sbin srv sys usr var';
const SYSTEM_DIRS = new Set(['', ...`${MACOS_DIRS} ${LINUX_DIRS}`.split(' ')].map((name) => `/${name}`));
// The length is limited because the pattern would take quadratic time on a long word.
const FORK_BOMB = /([\w:.]{1,64})\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&/;

/** Programs that run the program in their arguments: which options take a value, and how many words come first. */
const WRAPPERS = new Map<string, { valued?: RegExp; operands?: number }>([
  ['sudo', { valued: /^-[ugphCDRTU]$/ }],
  ['doas', { valued: /^-[uC]$/ }],
  ['env', { valued: /^-[uCS]$/ }],
  ['nice', { valued: /^-n$/ }],
  ['ionice', { valued: /^-[cn]$/ }],
  ['timeout', { valued: /^-[ks]$/, operands: 1 }],
  ['xargs', { valued: /^-[nIPLdEsa]$/ }],
  ['command', {}],
  ['builtin', {}],
  ['exec', { valued: /^-a$/ }],
  ['nohup', {}],
  ['setsid', {}],
  ['stdbuf', { valued: /^-[ioe]$/ }],
  ['busybox', {}],
]);

/** The worst that `script` would do, or undefined when nothing in it is on the list. */
export function judge(script: string, place: Place, depth = 0): Verdict | undefined {
  // Deeper than any honest command: not worth running without a look.
  if (depth > 8) return ask('it nests commands too deeply to be read');
  if (FORK_BOMB.test(script)) return block('it is a fork bomb');
  let worst: Verdict | undefined;
  for (const command of readCommands(script)) {
    const verdict = judgeCommand(command, place, depth);
    if (verdict?.action === 'block') return verdict;
    worst ??= verdict;
  }
  return worst;
}

function judgeCommand(command: SimpleCommand, place: Place, depth: number): Verdict | undefined {
  if (command.writesTo.some((path) => DISK.test(path))) return block('it writes over a disk');
  const [name, ...args] = unwrap(command.words);
  if (name === undefined) return undefined;

  if (DISK_WRITERS.test(name) && args.some((arg) => DISK.test(arg.replace(/^of=/, '')))) {
    return block('it writes over a disk');
  }
  if (INTERPRETERS.has(name)) return judgeInterpreter(command, name, args, place, depth);
  switch (name) {
    case 'eval':
    case 'source':
    case '.':
      if (isDownloaded(command.substitutes)) return RUNS_DOWNLOAD;
      return name === 'eval' ? judge(args.join(' '), place, depth + 1) : undefined;
    case 'cp':
    case 'mv':
      return DISK.test(args.at(-1) ?? '') ? block('it writes over a disk') : undefined;
    case 'rm':
      return judgeRemove(args, place);
    case 'find':
      return judgeFind(args, place);
    case 'git':
      return judgeGit(args);
    case 'chmod':
    case 'chown':
    case 'chgrp':
      return hasFlag(args, 'R', '--recursive') && operands(args).some((path) => isProtected(path, place))
        ? block('it changes the rights of a whole system or home directory')
        : undefined;
    case 'kill':
      // Process -1 is every process of the user; as the first word it is only a signal.
      return args.length > 1 && args.at(-1) === '-1' ? block('it ends every process of the user') : undefined;
    case 'diskutil':
      return /^(erase|partition|reformat|zero|random|secureErase)/i.test(args[0] ?? '')
        ? block('it erases a disk')
        : undefined;
    case 'crontab':
      return hasFlag(args, 'r') ? ask("it removes all of the user's cron jobs") : undefined;
    case 'shutdown':
    case 'reboot':
    case 'halt':
    case 'poweroff':
      return ask('it stops the computer');
    case 'systemctl':
      return args.some((arg) => /^(poweroff|reboot|halt|kexec)$/.test(arg))
        ? ask('it stops the computer')
        : undefined;
    default:
      return undefined;
  }
}

/** Words without what only says how to run them: `sudo -u x env A=1 /bin/rm …` is `rm …`. */
function unwrap(words: string[]): string[] {
  const rest = [...words];
  while (rest[0] !== undefined && (KEYWORDS.has(rest[0]) || /^\w+\+?=/.test(rest[0]))) rest.shift();
  if (rest[0] === undefined) return [];
  rest[0] = posix.basename(rest[0]);
  const wrapper = WRAPPERS.get(rest[0]);
  if (!wrapper) return rest;
  rest.shift();
  dropOptions(rest, wrapper.valued);
  rest.splice(0, wrapper.operands ?? 0);
  return unwrap(rest);
}

/** Takes the options off the front of `words`, those in `valued` with the word after them. */
function dropOptions(words: string[], valued?: RegExp): void {
  while (words[0]?.startsWith('-')) words.splice(0, valued?.test(words[0]) ? 2 : 1);
}

/** Whether a short flag (alone or in a cluster) or the long one is given. */
const hasFlag = (args: string[], short: string, long?: string): boolean =>
  options(args).some((arg) => arg === long || (/^-[^-]/.test(arg) && arg.includes(short)));

const options = (args: string[]): string[] => beforeDashes(args).filter((arg) => arg.startsWith('-'));
const operands = (args: string[]): string[] => [
  ...beforeDashes(args).filter((arg) => !arg.startsWith('-')),
  ...args.slice(beforeDashes(args).length + 1),
];
const beforeDashes = (args: string[]): string[] => {
  const dashes = args.indexOf('--');
  return dashes === -1 ? args : args.slice(0, dashes);
};

/** The absolute path a word means, a trailing `/*` left out: what goes when it is removed with all below it. */
function resolvePath(word: string, { home, cwd }: Place): string {
  const path = word
    .replace(/^(~|\$HOME|\$\{HOME\})(?=\/|$)/, () => home)
    .replace(/^(\$PWD|\$\{PWD\})(?=\/|$)/, () => cwd);
  return posix.resolve(cwd, path.replace(/(^|\/)\.?\*+$/, '$1'));
}

function isProtected(word: string, place: Place): boolean {
  const path = resolvePath(word, place);
  return SYSTEM_DIRS.has(path) || path === place.home || place.home.startsWith(`${path}/`);
}

function judgeRemove(args: string[], place: Place): Verdict | undefined {
  if (args.includes('--no-preserve-root')) return block('it removes the whole file system');
  if (!hasFlag(args, 'r', '--recursive') && !hasFlag(args, 'R')) return undefined;
  const targets = operands(args);
  if (targets.some((path) => isProtected(path, place))) {
    return block('it removes a whole system or home directory');
  }
  for (const target of targets) {
    const path = resolvePath(target, place);
    if (path === place.cwd || place.cwd.startsWith(`${path}/`))
      return ask('it removes everything in the working directory');
    if (posix.basename(path) === '.git') return ask('it removes the history of a repository');
    if (/^(\$\w+|\$\{\w+\})\/+\.?\**$/.test(target)) {
      return ask(
        `it removes everything in / when ${target.replace(/\/.*/, '')} is empty (write \${NAME:?} to be safe)`,
      );
    }
  }
  return undefined;
}

function judgeFind(args: string[], place: Place): Verdict | undefined {
  const removes = args.some(
    (arg, i) => arg === '-delete' || (/^-(exec|execdir)$/.test(arg) && unwrap(args.slice(i + 1))[0] === 'rm'),
  );
  if (!removes) return undefined;
  const firstTest = args.findIndex((arg) => /^[-(!]/.test(arg));
  const roots = args.slice(0, firstTest);
  return (roots.length > 0 ? roots : ['.']).some((root) => isProtected(root, place))
    ? ask('it removes files all over a system or home directory')
    : undefined;
}

function judgeGit(args: string[]): Verdict | undefined {
  const words = [...args];
  dropOptions(words, /^-[Cc]$/);
  const [subcommand, ...rest] = words;
  const isForced = hasFlag(rest, 'f', '--force');
  switch (subcommand) {
    case 'reset':
      return rest.includes('--hard') ? ask('it throws uncommitted changes away') : undefined;
    case 'clean':
      return isForced && !hasFlag(rest, 'n', '--dry-run')
        ? ask('it deletes files git does not know')
        : undefined;
    case 'checkout':
    case 'restore':
      // "restore --staged ." only takes files out of the index.
      return (isForced || rest.includes('.')) && !rest.includes('--staged')
        ? ask('it throws uncommitted changes away')
        : undefined;
    case 'stash':
      return /^(drop|clear)$/.test(rest[0] ?? '') ? ask('it throws stashed changes away') : undefined;
    case 'push': {
      const rewrites = rest.some((arg) => /^(--mirror|--delete|-d|--prune)$/.test(arg) || /^[+:]./.test(arg));
      return isForced || rewrites ? ask('it rewrites or deletes branches of the remote') : undefined;
    }
    default:
      return undefined;
  }
}

/** A shell or another interpreter: what it is told to run, as far as that can be read. */
function judgeInterpreter(
  command: SimpleCommand,
  name: string,
  args: string[],
  place: Place,
  depth: number,
): Verdict | undefined {
  const isShell = SHELLS.has(name);
  const flag = args.findIndex((arg) => (isShell ? /^-[a-z]*c$/ : /^-[a-zA-Z]*[ce]$/).test(arg));
  const inline = flag === -1 ? undefined : (args[flag + 1] ?? '');
  const [file = '-'] = operands(args);
  const readsInput = inline === undefined && !args.includes('-m') && (file === '-' || args.includes('-s'));

  if (readsInput && isDownloaded(command.pipedFrom)) return RUNS_DOWNLOAD;
  if ((inline ?? file).includes('$()') && isDownloaded(command.substitutes)) return RUNS_DOWNLOAD;
  return isShell ? judge(inline ?? (readsInput ? command.input : ''), place, depth + 1) : undefined;
}
