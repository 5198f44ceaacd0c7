import type { PiVersion } from './flags.ts';
import { parsePiArgs } from './pi-args.ts';

/** The arguments of pi that decide what its prompt contains. A field that they don't set is absent. */
export interface PiArguments {
  readonly systemPrompt?: string;
  /** The values of all `--append-system-prompt`, in order. Empty without one. */
  readonly appendSystemPrompts: readonly string[];
  readonly provider?: string;
  readonly model?: string;
  /** The names of `--tools`. */
  readonly tools?: readonly string[];
  readonly excludedTools: readonly string[];
  readonly noTools: boolean;
  readonly noBuiltinTools: boolean;
  readonly noSkills: boolean;
  /** The paths of all `--skill`. */
  readonly skills: readonly string[];
  /** Where sessions are recorded, relative to the working directory. */
  readonly sessionDirectory?: string;
  readonly noContextFiles: boolean;
  readonly noExtensions: boolean;
  /** The values of all `--extension`. */
  readonly extensions: readonly string[];
  readonly noMcp: boolean;
  /** Whether the arguments trust the project's own files. Undefined if they don't say. */
  readonly approve?: boolean;
}

/** The names in a list with commas, as `--tools` takes it. */
export const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Reads the arguments in a pi-args file. As in pi, the last of several equal flags wins. */
export const parsePiArguments = (piArgs: string, version: PiVersion): PiArguments => {
  const flags = parsePiArgs(piArgs).flatMap((use) => {
    if (use.kind !== 'flag' || (use.flag.value === 'any' && !use.value)) return [];
    if (use.flag.since !== undefined && version === '0.73') return [];
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
