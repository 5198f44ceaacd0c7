import { isSince, type PiFlag, type PiVersion, piFlag } from './flags.ts';

/** An argument in a pi-args file. Lines and columns start at 1. Columns and offsets count UTF-16 code units. */
export interface PiArg {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** A line of a pi-args file. `args` is empty if the line has no arguments. */
export interface PiArgsLine {
  readonly number: number;
  readonly args: readonly PiArg[];
}

/**
 * Returns the lines of a pi-args file, as `setup.sh run` reads them. Omits lines that start with `#`. Spaces and
 * tabs separate the arguments of a line. Quotes have no meaning, and patterns aren't expanded.
 */
export const piArgsLines = (text: string): PiArgsLine[] => {
  const lines: PiArgsLine[] = [];
  let offset = text.startsWith('\uFEFF') ? 1 : 0;
  for (const [index, ended] of text.slice(offset).split('\n').entries()) {
    const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
    const start = offset;
    offset += ended.length + 1;
    if (line.startsWith('#')) continue;
    const number = index + 1;
    const args = Array.from(line.matchAll(/[^ \t]+/g), ({ 0: arg, index: at }) => ({
      text: arg,
      line: number,
      column: at + 1,
      offset: start + at,
    }));
    lines.push({ number, args });
  }
  return lines;
};

/** The limits for a pi-args file that dot-mi interprets. A real one has about ten arguments. */
const MOST_CHARACTERS = 64 * 1024;
const MOST_ARGUMENTS = 1_000;

/** Describes the limits of {@link isTooLongToRun} after "is larger than". */
export const RUN_FILE_LIMIT = 'the limit of 64 KiB or 1,000 words';

/**
 * Returns whether a pi-args or workspace.conf file is too long to interpret. It can still be read and saved. Its
 * lines and arguments each cost time on the thread that answers everyone.
 */
export const isTooLongToRun = (text: string): boolean => {
  if (text.length > MOST_CHARACTERS) return true;
  const lines = piArgsLines(text).filter(({ args }) => args.length > 0);
  return lines.reduce((sum, { args }) => sum + args.length, 0) > MOST_ARGUMENTS;
};

/** An argument, as pi reads it. */
export type PiArgUse =
  /** A flag of pi. If `value` is absent, the flag has no value or its value is missing. */
  | { readonly kind: 'flag'; readonly arg: PiArg; readonly flag: PiFlag; readonly value?: PiArg }
  /**
   * A long flag that isn't pi's. An extension may register it by `name`, which has no dashes. pi reads the next
   * argument as its value unless that starts with `-` or `@`, even if the flag needs no value.
   */
  | {
      readonly kind: 'other_flag';
      readonly arg: PiArg;
      readonly name: string;
      readonly value?: PiArg;
      /** The text after `=`. */
      readonly inlineValue?: string;
    }
  /** A short flag that pi doesn't know. Extensions can't register short flags. */
  | { readonly kind: 'unknown_short'; readonly arg: PiArg }
  /** `@path`: a file that pi adds to the first message. */
  | { readonly kind: 'file'; readonly arg: PiArg }
  /** The first message to the model. */
  | { readonly kind: 'message'; readonly arg: PiArg };

const isTaken = (flag: PiFlag, next: string): boolean => {
  if (flag.value === 'any') return true;
  if (flag.value === 'word') return !next.startsWith('-');
  return flag.value === 'optional' && !/^[-@]/.test(next);
};

/** Reads arguments as pi 0.87 and later do (`dist/cli/args.js`). */
export const usesOf = (args: readonly PiArg[]): PiArgUse[] => {
  const uses: PiArgUse[] = [];
  let onlyMessages = false;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as PiArg;
    const next = args[index + 1];
    const { text } = arg;
    const flag = onlyMessages ? undefined : piFlag(text);
    if (flag) {
      if (text === '--') onlyMessages = true;
      const value = next && isTaken(flag, next.text) ? next : undefined;
      if (value) index++;
      uses.push({ kind: 'flag', arg, flag, ...(value ? { value } : {}) });
    } else if (text.startsWith('@')) {
      uses.push({ kind: 'file', arg });
    } else if (onlyMessages || !text.startsWith('-')) {
      uses.push({ kind: 'message', arg });
    } else if (text.startsWith('--')) {
      const equals = text.indexOf('=');
      if (equals >= 0) {
        const name = text.slice(2, equals);
        uses.push({ kind: 'other_flag', arg, name, inlineValue: text.slice(equals + 1) });
        continue;
      }
      const value = next && !/^[-@]/.test(next.text) ? next : undefined;
      if (value) index++;
      uses.push({ kind: 'other_flag', arg, name: text.slice(2), ...(value ? { value } : {}) });
    } else {
      uses.push({ kind: 'unknown_short', arg });
    }
  }
  return uses;
};

/** A use of one of pi's own flags. */
export type FlagUse = Extract<PiArgUse, { kind: 'flag' }>;

/** Returns the uses of a flag of pi, in order. */
export const usesOfFlag = (uses: readonly PiArgUse[], name: string): FlagUse[] =>
  uses.filter((use): use is FlagUse => use.kind === 'flag' && use.flag.name === name);

/** Reads a pi-args file as pi reads the arguments that a launcher passes. */
export const parsePiArgs = (text: string): PiArgUse[] =>
  usesOf(piArgsLines(text).flatMap(({ args }) => args));

/** The arguments that affect pi's prompt. Fields that they don't set are absent. */
export interface PiArguments {
  readonly systemPrompt?: string;
  /** The values of all `--append-system-prompt` flags, in order. Empty if there are none. */
  readonly appendSystemPrompts: readonly string[];
  readonly provider?: string;
  readonly model?: string;
  /** True if a key is in the arguments. */
  readonly hasApiKey: boolean;
  /** The names of `--tools`. */
  readonly tools?: readonly string[];
  readonly excludedTools: readonly string[];
  readonly noTools: boolean;
  readonly noBuiltinTools: boolean;
  readonly noSkills: boolean;
  /** The values of all `--skill` flags, in order. */
  readonly skills: readonly string[];
  /** The directory for sessions, relative to the working directory. */
  readonly sessionDirectory?: string;
  readonly noContextFiles: boolean;
  readonly noExtensions: boolean;
  /** The values of all `--extension` flags, in order. */
  readonly extensions: readonly string[];
  readonly noMcp: boolean;
  /** True if the arguments trust the project's own files, false if they refuse to. Undefined if they don't say. */
  readonly approve?: boolean;
}

/** Returns the names in a comma-separated list, such as the value of `--tools`. */
export const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Reads the arguments in a pi-args file. As in pi, if a flag is repeated, the last one wins. */
export const parsePiArguments = (piArgs: string, version: PiVersion): PiArguments => {
  const flags = parsePiArgs(piArgs).flatMap((use) => {
    if (use.kind !== 'flag' || (use.flag.value === 'any' && !use.value)) return [];
    if (use.flag.since !== undefined && !isSince(version, use.flag.since)) return [];
    return [{ name: use.flag.name, value: use.value?.text ?? '' }];
  });
  const has = (name: string) => flags.some((flag) => flag.name === name);
  const allOf = (name: string) => flags.flatMap((flag) => (flag.name === name ? [flag.value] : []));
  const set = <K extends keyof PiArguments, V>(field: K, name: string, read: (value: string) => V) => {
    const value = allOf(name).at(-1);
    return value === undefined ? {} : { [field]: read(value) };
  };
  const same = (value: string) => value;
  const approval = flags.findLast(({ name }) => name === '--approve' || name === '--no-approve');
  return {
    ...set('systemPrompt', '--system-prompt', same),
    ...set('provider', '--provider', same),
    ...set('model', '--model', same),
    ...set('tools', '--tools', namesIn),
    ...set('sessionDirectory', '--session-dir', same),
    ...(approval ? { approve: approval.name === '--approve' } : {}),
    appendSystemPrompts: allOf('--append-system-prompt'),
    excludedTools: namesIn(allOf('--exclude-tools').at(-1) ?? ''),
    hasApiKey: has('--api-key'),
    noTools: has('--no-tools'),
    noBuiltinTools: has('--no-builtin-tools'),
    noSkills: has('--no-skills'),
    skills: allOf('--skill'),
    noContextFiles: has('--no-context-files'),
    noExtensions: has('--no-extensions'),
    extensions: allOf('--extension'),
    noMcp: has('--no-mcp'),
  };
};
