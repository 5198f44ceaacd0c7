/** Programs that run the program in their arguments: `sudo -u x env A=1 /bin/rm …` is `rm …`. */
import { posix } from 'node:path';

interface Wrapper {
  /** Letters of the short options that take a value. */
  short?: string;
  /** Long options that take a value, also without `=`. */
  long?: string;
  /** How many words come before the program. */
  operands?: number;
  /** The option whose value is itself a command. */
  split?: RegExp;
}

const WRAPPERS = new Map<string, Wrapper>([
  [
    'sudo',
    {
      short: 'ugphCDRTUrt',
      long: 'user group prompt host close-from chdir chroot command-timeout other-user role type',
    },
  ],
  ['doas', { short: 'uCa' }],
  ['env', { short: 'uCS', long: 'unset chdir', split: /^(?:-[iv0]*S|--split-string=?)/ }],
  ['nice', { short: 'n', long: 'adjustment' }],
  ['ionice', { short: 'cn', long: 'class classdata' }],
  ['timeout', { short: 'ks', long: 'kill-after signal', operands: 1 }],
  ['time', { short: 'fo', long: 'format output' }],
  ['xargs', { short: 'nIPLdEsa', long: 'max-args max-procs max-chars delimiter arg-file process-slot-var' }],
  ['stdbuf', { short: 'ioe', long: 'input output error' }],
  ['exec', { short: 'a' }],
  ['watch', { short: 'n', long: 'interval' }],
  [
    'parallel',
    {
      short: 'jnNLIaSPds',
      long: 'jobs max-args max-lines arg-file delimiter sshlogin timeout retries delay joblog',
    },
  ],
  ['strace', { short: 'oespauEPIObSX', long: 'output expr trace attach user env string-limit' }],
  ['unshare', { short: 'RwSG', long: 'root wd setuid setgid map-user map-group propagation' }],
  ['command', {}],
  ['builtin', {}],
  ['nohup', {}],
  ['setsid', {}],
  ['busybox', {}],
]);

const KEYWORDS = new Set(['!', 'if', 'then', 'elif', 'else', 'while', 'until', 'do', 'coproc']);
const ASSIGNMENT = /^\w+\+?=/;

/** The program that runs in the end, with its words, and whether xargs adds more words to them. */
export interface Call {
  words: string[];
  addsWords: boolean;
}

/** More than any honest command has in a row. */
const MAX_WRAPPERS = 20;

export function unwrap(words: string[]): Call {
  let rest = words;
  let addsWords = false;
  for (let count = 0; ; count += 1) {
    const start = rest.findIndex((word) => !KEYWORDS.has(word) && !ASSIGNMENT.test(word));
    if (start === -1) return { words: [], addsWords };
    const [path = '', ...args] = rest.slice(start);
    const name = posix.basename(path);
    const wrapper = WRAPPERS.get(name);
    if (!wrapper || count > MAX_WRAPPERS) return { words: [name, ...args], addsWords };
    addsWords ||= name === 'xargs' || name === 'parallel';
    rest = dropOptions(args, wrapper).slice(wrapper.operands ?? 0);
  }
}

/** `words` without the options at the front and their values. */
export function dropOptions(words: string[], { short = '', long = '', split }: Wrapper): string[] {
  const longNames = long.split(' ');
  let at = 0;
  for (; words[at]?.startsWith('-'); at += 1) {
    const option = words[at] ?? '';
    if (option === '--') return words.slice(at + 1);
    const splits = split?.exec(option);
    if (splits) {
      const attached = option.slice(splits[0].length);
      const command = attached === '' ? (words[at + 1] ?? '') : attached;
      return [...command.split(/\s+/).filter(Boolean), ...words.slice(attached === '' ? at + 2 : at + 1)];
    }
    if (option.startsWith('--') ? longNames.includes(option.slice(2)) : endsInValued(option, short)) at += 1;
  }
  return words.slice(at);
}

/** Whether the value of a cluster's last letter is the next word: for -u in `-nu root`, not in `-uroot`. */
const endsInValued = (option: string, valued: string): boolean =>
  [...option.slice(1)].findIndex((letter) => valued.includes(letter)) === option.length - 2;

const beforeDashes = (args: string[]): string[] => {
  const dashes = args.indexOf('--');
  return dashes === -1 ? args : args.slice(0, dashes);
};

/** Whether a short flag (alone or in a cluster) or one of the long ones is given. */
export const hasFlag = (args: string[], short: string, ...long: string[]): boolean =>
  beforeDashes(args).some(
    (arg) => long.includes(arg) || (/^-[^-]/.test(arg) && short !== '' && arg.includes(short)),
  );

export const operands = (args: string[]): string[] => {
  const before = beforeDashes(args);
  return [...before.filter((arg) => !arg.startsWith('-')), ...args.slice(before.length + 1)];
};
