import { byKind, isOfKind, type LinkKind } from '../api/names.ts';
import { parseObject } from './agent-model.ts';
import { compileGlob, type Glob } from './glob.ts';

/** Whether pi leaves out a file. `file` is relative to the agent's directory, with `/`. */
export type IsOff = (file: string) => boolean;

/** What the lists of a settings.json say. Undefined for a kind that they switch nothing off of. */
export type Switches = Readonly<Record<LinkKind, SwitchedOff | undefined>>;

/** Rules of one list. `base` is the absolute directory that their paths are relative to. */
export type SwitchedOff = (base: string, home: string) => IsOff;

/** Reads the files of entries, each named as for {@link IsOff}. */
export interface EntryFiles {
  isThere(file: string): boolean;
  /** The text of a file, if it is there. */
  readText(file: string): string | undefined;
}

/** How many globs of a list, and entry files of an extension, count. People don't write more. */
const MAX_GLOBS = 100;
const MAX_ENTRY_FILES = 50;

const isOverride = (entry: string): boolean => /^[!+-]/.test(entry);

/** Whether an entry of a list names more files to load, and isn't a pattern. */
export const namesMore = (entry: string): boolean => !isOverride(entry) && !/[*?]/.test(entry);

const withSlashes = (path: string): string => path.replaceAll('\\', '/');

const expand = (pattern: string, home: string): string =>
  /^~(\/|$)/.test(pattern) ? `${withSlashes(home)}${pattern.slice(1)}` : pattern;

/** The names that a pattern can mean a file by. A pattern for the directory of a SKILL.md means the skill. */
const namesOf = (file: string, base: string): { exact: readonly string[]; loose: readonly string[] } => {
  const meant = file.endsWith('/SKILL.md') ? [file, file.slice(0, -'/SKILL.md'.length)] : [file];
  const exact = meant.flatMap((path) => [path, `${withSlashes(base)}/${path}`]);
  return { exact, loose: [...exact, ...meant.map((path) => path.slice(path.lastIndexOf('/') + 1))] };
};

/**
 * The rules in a list of one kind, as pi applies them to what it finds in the directory itself, in its
 * `isEnabledByOverrides`: `!` excludes by pattern, `+` includes an exact path again, and `-` excludes one for good.
 *
 * What a plain path names too is decided by `applyPatterns`: if there are patterns without a mark, one must match.
 */
const switchedOffBy = (entries: readonly string[]): SwitchedOff | undefined => {
  // pi's own extensions are in no directory.
  const list = entries.filter((entry) => !/^[!+-]builtin:/.test(entry));
  const marked = (mark: string) =>
    list.filter((entry) => entry.startsWith(mark)).map((entry) => entry.slice(1));
  const plain = list.filter(namesMore);
  const wanted = list.filter((entry) => !isOverride(entry) && !namesMore(entry));
  const [excluded, included, banned] = [marked('!'), marked('+'), marked('-')];
  const filters = plain.length > 0 && wanted.length > 0;
  if (excluded.length + banned.length === 0 && !filters) return undefined;
  return (base, home) => {
    const globs = (patterns: readonly string[]): Glob[] =>
      patterns.slice(0, MAX_GLOBS).map((pattern) => compileGlob(expand(pattern, home)));
    const paths = (entries: readonly string[]) =>
      new Set(entries.map((entry) => expand(entry.replace(/^\.[\\/]/, ''), home)));
    const [wantedGlobs, excludedGlobs] = [globs(wanted), globs(excluded)];
    const [includedPaths, bannedPaths] = [paths(included), paths(banned)];
    const named = [...paths(plain)].map((path) => path.replace(/\/+$/, ''));
    return (file) => {
      const { exact, loose } = namesOf(file, base);
      const matches = (patterns: readonly Glob[]) => patterns.some((glob) => loose.some(glob));
      const isNamed = filters && exact.some((path) => named.some((top) => `${path}/`.startsWith(`${top}/`)));
      if (exact.some((path) => bannedPaths.has(path))) return true;
      if (exact.some((path) => includedPaths.has(path))) return false;
      return matches(excludedGlobs) || (isNamed && !matches(wantedGlobs));
    };
  };
};

/** The texts in a list of settings.json. */
export const listIn = (settings: Readonly<Record<string, unknown>>, kind: LinkKind): string[] => {
  const list = settings[kind];
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
};

/** Reads what a settings.json switches off. A text that isn't an object switches nothing off. */
export const readSwitches = (text: string | undefined): Switches => {
  const settings = parseObject(text);
  return byKind((kind) => switchedOffBy(listIn(settings, kind)));
};

/** Resolves `.` and `..` in a path below a directory. */
const normal = (path: string): string => {
  const names: string[] = [];
  for (const name of path.split(/[\\/]+/)) {
    if (name === '..') names.pop();
    else if (name !== '.') names.push(name);
  }
  return names.join('/');
};

/** The one file that pi would load of an entry of this name. An extension can have several. */
export const entryFileOf = (kind: Exclude<LinkKind, 'extensions'>, name: string): string =>
  kind === 'skills' && !name.endsWith('.md') ? `${kind}/${name}/SKILL.md` : `${kind}/${name}`;

/** As pi's `resolveExtensionEntries` finds them. */
const extensionFiles = (name: string, { isThere, readText }: EntryFiles): string[] => {
  const entry = `extensions/${name}`;
  if (/\.[jt]s$/.test(name)) return [entry];
  const { pi } = parseObject(readText(`${entry}/package.json`)) as { pi?: { extensions?: unknown } };
  const list = pi?.extensions;
  // pi drops a list in which something else is.
  const named = Array.isArray(list) && list.every((file) => typeof file === 'string') ? list : [];
  const found = named
    .slice(0, MAX_ENTRY_FILES)
    .map((file) => normal(`${entry}/${file}`))
    .filter(isThere);
  return found.length > 0 ? found : [`${entry}/index.ts`, `${entry}/index.js`].filter(isThere).slice(0, 1);
};

/** As pi's `collectSkillEntries`, `collectAutoPromptEntries` and `collectAutoThemeEntries` find them. */
const filesOf = (kind: LinkKind, name: string, files: EntryFiles): string[] => {
  if (kind === 'extensions') return extensionFiles(name, files);
  if (kind !== 'skills' && !isOfKind(kind, name, 'file')) return [];
  return [entryFileOf(kind, name)].filter(files.isThere);
};

/** Whether pi loads nothing of an entry of this name, because every file of it is switched off. */
export const isEntryOff = (isOff: IsOff, kind: LinkKind, name: string, files: EntryFiles): boolean => {
  const found = filesOf(kind, name, files);
  return found.length > 0 && found.every(isOff);
};
