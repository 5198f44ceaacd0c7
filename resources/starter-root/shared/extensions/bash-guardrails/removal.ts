/** What `rm`, `find` and `xargs` would remove, and what of that is worth a question. */
import { posix } from 'node:path';
import { type Directory, type Place, resolveWord, type ShellState } from './shell-state.ts';
import type { Scope, SimpleCommand } from './shell-words.ts';
import { ask, block, type Verdict, worst } from './verdict.ts';
import { hasFlag, operands, unwrap } from './wrappers.ts';

const MACOS_DIRS = 'Applications Library System Users Volumes';
const LINUX_DIRS = 'bin boot dev etc home lib lib32 lib64 media mnt opt proc root run sbin srv sys usr var';
const SYSTEM_DIRS = new Set(['', ...`${MACOS_DIRS} ${LINUX_DIRS}`.split(' ')].map((name) => `/${name}`));
/** A last part that stands for everything in a directory: `*`, `.*`, `.[!.]*`, `?*`. */
const EVERYTHING = /(^|\/)(?=[^/]*[*?])(?:[*.?]|\[[!^][^\]/]*\])+\/*$/;

/** What a script knows where one of its commands runs. */
export interface Spot {
  state: ShellState;
  scope: Scope;
}

const isProtectedPath = (path: string, { home }: Place): boolean =>
  SYSTEM_DIRS.has(path) || path === home || home.startsWith(`${path}/`);

/** Each path that `word` may stand for; an undefined one cannot be known. */
const pathsOf = (word: string, { state, scope }: Spot): Directory[] =>
  state
    .expand(word, scope)
    .flatMap((each) =>
      state
        .directories(scope)
        .map((directory) => resolveWord(withoutGlobs(each).path, directory, state.place)),
    );

export const isProtected = (word: string, spot: Spot): boolean =>
  pathsOf(word, spot).some((path) => path !== undefined && isProtectedPath(path, spot.state.place));

/** `word` without the globs at its end that stand for everything there. */
function withoutGlobs(word: string): { path: string; isEverything: boolean } {
  // A name this long is not a glob someone typed, and takes long to match.
  if (word.length > 1000) return { path: word, isEverything: false };
  let path = word;
  while (EVERYTHING.test(path)) path = path.replace(EVERYTHING, '$1');
  return { path: path === '' ? '.' : path, isEverything: path !== word };
}

export function judgeRemove(args: string[], spot: Spot): Verdict | undefined {
  if (args.includes('--no-preserve-root')) return block('it removes the whole file system');
  const recursive = isRecursive(args);
  return worst(operands(args).map((word) => judgeTarget(word, recursive, spot)));
}

const isRecursive = (args: string[]): boolean => hasFlag(args, 'r', '--recursive') || hasFlag(args, 'R');

function judgeTarget(word: string, recursive: boolean, { state, scope }: Spot): Verdict | undefined {
  const judgeOne = recursive ? judgeTree : judgeFiles;
  return worst(
    state
      .expand(word, scope)
      .flatMap((each) => state.directories(scope).map((directory) => judgeOne(each, directory, state.place))),
  );
}

/** `rm` without -r: only a glob takes more than was named. */
function judgeFiles(word: string, directory: Directory, place: Place): Verdict | undefined {
  const { path: start, isEverything } = withoutGlobs(word);
  if (!isEverything) return undefined;
  const path = resolveWord(start, directory, place);
  return path === undefined || path === place.cwd || isProtectedPath(path, place)
    ? ask(`it removes all files in ${path ?? 'a directory that is not known yet'}`)
    : undefined;
}

function judgeTree(word: string, directory: Directory, place: Place): Verdict | undefined {
  const { home, cwd } = place;
  const { path: start, isEverything } = withoutGlobs(word);
  const path = resolveWord(start, directory, place);
  if (path === undefined) {
    return isEverything || /^\.\.?(\/|$)/.test(posix.normalize(start))
      ? ask('it removes everything in a directory that is not known yet')
      : undefined;
  }
  if (isProtectedPath(path, place)) return block('it removes a whole system or home directory');
  if (path === cwd || cwd.startsWith(`${path}/`))
    return ask('it removes everything in the working directory');
  if (posix.basename(path) === '.git') return ask('it removes the history of a repository');
  const variable = /^(\$\w+|\$\{\w+([%#/,^][^}]*)?\}|\$\(\))\/*$/.exec(start)?.[1];
  if (variable !== undefined && /[/*]$/.test(word)) {
    const source = variable === '$()' ? 'the command in $(…) prints nothing' : `${variable} is empty`;
    return ask(`it removes everything in / when ${source} (write \${NAME:?} to be safe)`);
  }
  if (path === '/tmp' && isEverything) return undefined;
  const parent = posix.dirname(path);
  // What lies in the working directory is the agent's to remove, wherever that directory is.
  return parent !== cwd && ['/', home, '/home', '/Users'].includes(parent)
    ? ask(`it removes ${path}, which is right under ${parent}`)
    : undefined;
}

/** Words of `find` that choose no files by what they are called or contain. */
const NOT_A_FILTER =
  /^-(type|xtype|depth|d|mindepth|maxdepth|mount|xdev|x|follow|daystart|noleaf|ignore_readdir_race|warn|nowarn|prune|quit|print0?|printf|fprint.*|f?ls|true|a|and|ok|okdir|H|L|P)$/;

/** `judgeWords` answers for the program that `-exec` runs. */
export function judgeFind(
  args: string[],
  spot: Spot,
  judgeWords: (words: string[]) => Verdict | undefined,
  hasFilterAfter = false,
): Verdict | undefined {
  const options = args.findIndex((arg) => !/^-[HLP]$/.test(arg));
  const first = args.findIndex((arg, i) => i >= options && /^[-(!]/.test(arg));
  const named = args.slice(Math.max(options, 0), first === -1 ? args.length : first);
  const roots = named.length > 0 ? named : ['.'];
  const verdicts: (Verdict | undefined)[] = [];

  let isFiltered = hasFilterAfter;
  for (let i = first; i >= 0 && i < args.length; i += 1) {
    const arg = args[i] ?? '';
    let removes = arg === '-delete';
    if (/^-exec(dir)?$/.test(arg)) {
      const end = args.findIndex((word, at) => at > i && (word === ';' || word === '+'));
      const words = args.slice(i + 1, end === -1 ? args.length : end);
      removes = unwrap(words).words[0] === 'rm';
      verdicts.push(judgeWords(words));
      i += words.length;
    }
    if (removes) verdicts.push(...roots.map((root) => judgeFound(root, isFiltered, spot)));
    // Each side of "or" chooses files of its own.
    if (/^(-or?|,)$/.test(arg)) isFiltered = hasFilterAfter;
    else if (arg === '!' || arg === '-not')
      i += 1; // all but a few is no choice
    else if (arg.startsWith('-') && !removes && !NOT_A_FILTER.test(arg)) isFiltered ||= !/^-exec/.test(arg);
  }
  return worst(verdicts);
}

function judgeFound(root: string, isFiltered: boolean, spot: Spot): Verdict | undefined {
  if (isProtected(root, spot)) return ask('it removes files all over a system or home directory');
  const verdict = isFiltered ? undefined : judgeTarget(root, true, spot);
  return verdict && ask(verdict.why);
}

/** `xargs rm`: removes what the programs before it in the pipe print. */
export function judgeXargsRemove(args: string[], command: SimpleCommand, spot: Spot): Verdict | undefined {
  const unseen = ask('it removes the files on a list that nobody has checked');
  const pipe = programsBefore(command);
  const [name, ...rest] = unwrap(pipe.at(-1)?.words ?? []).words;
  const between = pipe.slice(0, -1).map(({ words: [filter = ''] }) => filter);
  if (name === 'find') {
    const isFiltered = between.some((filter) => !/^(sort|uniq|tr)$/.test(filter));
    return judgeFind([...rest, '-delete'], spot, () => undefined, isFiltered);
  }
  if (between.length > 0 || !/^(ls|echo|printf)$/.test(name ?? '')) return unseen;
  const recursive = isRecursive(args);
  const listed = operands(rest);
  return worst((listed.length > 0 ? listed : ['*']).map((word) => judgeTarget(word, recursive, spot)));
}

/** The programs before `command` in its pipe, the nearest first. */
export function programsBefore(command: SimpleCommand): SimpleCommand[] {
  const programs: SimpleCommand[] = [];
  for (let at = command.pipedFrom; at; at = at.pipedFrom) if (at.words.length > 0) programs.push(at);
  return programs;
}
