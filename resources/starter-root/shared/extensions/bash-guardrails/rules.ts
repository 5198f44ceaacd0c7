/**
 * What an agent must not run unasked. A seat belt, not a wall: it catches plain mistakes that cannot be
 * undone, and anyone who wants to get around it can. Against that only a container or another user account
 * helps.
 */
import { posix } from 'node:path';
import { judgeGit } from './git.ts';
import { isProtected, judgeFind, judgeRemove, judgeXargsRemove, programsBefore } from './removal.ts';
import { type Place, ShellState } from './shell-state.ts';
import { readCommands, type Scope, type SimpleCommand } from './shell-words.ts';
import { ask, block, type Verdict, worst } from './verdict.ts';
import { type Call, hasFlag, operands, unwrap } from './wrappers.ts';

const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'su']);
const INTERPRETERS = new Set([...SHELLS, 'python', 'python3', 'node', 'perl', 'ruby']);
const RUNS_DOWNLOAD = ask('it runs a program straight from the network');
const DISK = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|r?disk|md|dm-|mapper\/)/;
const DISK_WRITERS = /^(mkfs(\..+)?|mkswap|wipefs|blkdiscard|shred|dd|tee)$/;
const OVERWRITES_DISK = block('it writes over a disk');
const STOPS_COMPUTER = ask('it stops the computer');
const TOO_DEEP = ask('it is nested too deeply to check');
// The length is limited because the pattern would take quadratic time on a long word.
const FORK_BOMB = /([\w:.]{1,64})\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&/;
/** A shell in a shell in a shell, or so many of find's -exec: deeper than any honest command. */
const MAX_NESTED = 8;

/** The worst that `script` would do, or undefined when nothing in it is on the list. */
export function judge(script: string, place: Place): Verdict | undefined {
  return new Judge(place).script(script, { parent: undefined }, 0);
}

class Judge {
  readonly #state: ShellState;

  constructor(place: Place) {
    this.#state = new ShellState(place);
  }

  script(text: string, scope: Scope, depth: number): Verdict | undefined {
    if (depth > MAX_NESTED) return TOO_DEEP;
    if (FORK_BOMB.test(text)) return block('it is a fork bomb');
    const { commands, unread } = readCommands(text, scope);
    const verdicts = commands.map((command) => {
      const call = unwrap(command.words);
      const verdict = this.#command(command, call, depth);
      this.#state.follow(command, call.words);
      return verdict;
    });
    if (unread) verdicts.push(unread === 'too deep' ? TOO_DEEP : ask('it is too long to check'));
    return worst(verdicts);
  }

  #command(command: SimpleCommand, { words, addsWords }: Call, depth: number): Verdict | undefined {
    if (depth > MAX_NESTED) return TOO_DEEP;
    if (command.writesTo.some((path) => DISK.test(path))) return OVERWRITES_DISK;
    const [name, ...args] = words;
    if (name === undefined) return undefined;
    if (INTERPRETERS.has(name)) return this.#interpreter(command, name, args, depth);

    const spot = { state: this.#state, scope: command.scope };
    switch (name) {
      case 'eval':
      case 'source':
      case '.':
        if (command.substitutes.some(isDownloader)) return RUNS_DOWNLOAD;
        return name === 'eval' ? this.script(args.join(' '), command.scope, depth + 1) : undefined;
      case 'rm':
        return worst([
          judgeRemove(args, spot),
          addsWords ? judgeXargsRemove(args, command, spot) : undefined,
        ]);
      case 'find':
        return judgeFind(args, spot, (nested) =>
          this.#command({ ...command, pipedFrom: undefined }, unwrap(nested), depth + 1),
        );
      case 'chmod':
      case 'chown':
      case 'chgrp':
        return hasFlag(args, 'R', '--recursive') && operands(args).some((word) => isProtected(word, spot))
          ? block('it changes the rights of a whole system or home directory')
          : undefined;
      default:
        return judgeProgram(name, args);
    }
  }

  /** A shell or another interpreter: what it is told to run, as far as that can be read. */
  #interpreter(command: SimpleCommand, name: string, args: string[], depth: number): Verdict | undefined {
    const isShell = SHELLS.has(name);
    const flag = args.findIndex((arg) => (isShell ? /^-[a-z]*c$/ : /^-[a-zA-Z]*[ce]$/).test(arg));
    const inline = flag === -1 ? undefined : (args[flag + 1] ?? '');
    const [file = '-'] = operands(args);
    const readsInput = inline === undefined && !args.includes('-m') && (file === '-' || args.includes('-s'));

    if (readsInput && programsBefore(command).some(({ words: [program = ''] }) => isDownloader(program))) {
      return RUNS_DOWNLOAD;
    }
    if ((inline ?? file).includes('$()') && command.substitutes.some(isDownloader)) return RUNS_DOWNLOAD;
    if (!isShell) return undefined;
    const text = inline ?? (readsInput ? inputOf(command) : '');
    return this.script(text, { parent: command.scope }, depth + 1);
  }
}

const isDownloader = (program: string): boolean => /^(curl|wget)$/.test(posix.basename(program));

/** The text that a program reads, where it is written in the script. */
function inputOf({ input, pipedFrom }: SimpleCommand): string {
  if (input !== '' || !pipedFrom) return input;
  const [name, ...args] = unwrap(pipedFrom.words).words;
  switch (name) {
    case 'echo':
      return args
        .filter((arg) => !/^-[neE]+$/.test(arg))
        .join(' ')
        .replaceAll('\\n', '\n');
    case 'printf': {
      const [format = '', ...values] = args;
      let next = 0;
      return format.replaceAll('\\n', '\n').replace(/%[sb]/g, () => values[next++] ?? '');
    }
    case 'cat':
    case 'tee':
      return inputOf(pipedFrom);
    default:
      return '';
  }
}

/** Programs whose words say all. */
function judgeProgram(name: string, args: string[]): Verdict | undefined {
  const last = args.at(-1) ?? '';
  if (DISK_WRITERS.test(name)) {
    return args.some((arg) => DISK.test(arg.replace(/^of=/, ''))) ? OVERWRITES_DISK : undefined;
  }
  switch (name) {
    case 'git':
      return judgeGit(args);
    case 'rsync':
      return args.some((arg) => /^--del(ete(-\w+)*)?$/.test(arg)) && !hasFlag(args, 'n', '--dry-run')
        ? ask('it deletes what is only at the destination')
        : undefined;
    case 'cp':
    case 'mv':
      return DISK.test(last) ? OVERWRITES_DISK : undefined;
    case 'kill':
      // Process -1 is every process of the user; as the first word it is only a signal.
      return args.length > 1 && last === '-1' ? block('it ends every process of the user') : undefined;
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
      return STOPS_COMPUTER;
    case 'systemctl':
      return args.some((arg) => /^(poweroff|reboot|halt|kexec)$/.test(arg)) ? STOPS_COMPUTER : undefined;
    default:
      return undefined;
  }
}
