import { byKind, isOfKind, type LinkKind } from '../shared/api/names.ts';
import { parseObject } from './agent-model.ts';
import { compileGlob, type Glob } from './glob.ts';

/** Returns whether settings.json switches a file off. `file` is relative to the agent's directory, with `/`. */
export type IsOff = (file: string) => boolean;

/** The files that a settings.json switches off, by kind. Undefined for kinds that have none. */
export type Switches = Readonly<Record<LinkKind, SwitchedOff | undefined>>;

/** One list's rules. Their paths are relative to the absolute directory `base`. */
export type SwitchedOff = (base: string, home: string) => IsOff;

/** Reads entries' files, by paths as in {@link IsOff}. */
export interface EntryFiles {
  isThere(file: string): boolean;
  /** Returns a file's text. Undefined if the file doesn't exist. */
  readText(file: string): string | undefined;
}

/** Limits for the globs in a list and the entry files of an extension. Real files have fewer. */
const MAX_GLOBS = 100;
const MAX_ENTRY_FILES = 50;

/** Returns whether a list item is a pattern with a mark, which names no more files to load. */
export const isOverride = (entry: string): boolean => /^[!+-]/.test(entry);

/** Returns whether a list item names more files to load, and isn't a pattern. */
export const namesMore = (entry: string): boolean => !isOverride(entry) && !/[*?]/.test(entry);

const withSlashes = (path: string): string => path.replaceAll('\\', '/');

const expand = (pattern: string, home: string): string =>
  /^~(\/|$)/.test(pattern) ? `${withSlashes(home)}${pattern.slice(1)}` : pattern;

/** Returns the names by which a pattern can match a file. For a skill, they include its directory. */
const namesOf = (file: string, base: string): { exact: readonly string[]; loose: readonly string[] } => {
  const meant = file.endsWith('/SKILL.md') ? [file, file.slice(0, -'/SKILL.md'.length)] : [file];
  const exact = meant.flatMap((path) => [path, `${withSlashes(base)}/${path}`]);
  return { exact, loose: [...exact, ...meant.map((path) => path.slice(path.lastIndexOf('/') + 1))] };
};

/**
 * Returns the rules in one kind's list, as pi's `isEnabledByOverrides` applies them to the files in the agent's
 * directory. `!` excludes by pattern, `+` includes an exact path again, and `-` always excludes an exact path.
 *
 * For files that a plain path also names, `applyPatterns` decides: if there are patterns without a mark, one must
 * match.
 */
const switchedOffBy = (entries: readonly string[]): SwitchedOff | undefined => {
  // pi's built-in extensions aren't in a directory.
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
    const named = new Set([...paths(plain)].map((path) => path.replace(/\/+$/, '')));
    const isBelowNamed = (path: string): boolean => {
      for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
        if (named.has(path.slice(0, end))) return true;
      return path.startsWith('/') && named.has('');
    };
    return (file) => {
      const { exact, loose } = namesOf(file, base);
      const matches = (patterns: readonly Glob[]) => patterns.some((glob) => loose.some(glob));
      const isNamed = filters && exact.some(isBelowNamed);
      if (exact.some((path) => bannedPaths.has(path))) return true;
      if (exact.some((path) => includedPaths.has(path))) return false;
      return matches(excludedGlobs) || (isNamed && !matches(wantedGlobs));
    };
  };
};

/** Returns the strings in one of settings.json's lists. */
export const listIn = (settings: Readonly<Record<string, unknown>>, kind: LinkKind): string[] => {
  const list = settings[kind];
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
};

/** Reads what a settings.json switches off. If the text isn't an object, that's nothing. */
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

/** Returns the file that pi would load for an entry with this name. An extension can have several. */
export const entryFileOf = (kind: Exclude<LinkKind, 'extensions'>, name: string): string =>
  kind === 'skills' && !name.endsWith('.md') ? `${kind}/${name}/SKILL.md` : `${kind}/${name}`;

/** Finds the same files as pi's `resolveExtensionEntries`. */
const extensionFiles = (name: string, { isThere, readText }: EntryFiles): string[] => {
  const entry = `extensions/${name}`;
  if (/\.[jt]s$/.test(name)) return [entry];
  const { pi } = parseObject(readText(`${entry}/package.json`)) as { pi?: { extensions?: unknown } };
  const list = pi?.extensions;
  // pi ignores a list that contains anything but strings.
  const named = Array.isArray(list) && list.every((file) => typeof file === 'string') ? list : [];
  const found = named
    .slice(0, MAX_ENTRY_FILES)
    .map((file) => normal(`${entry}/${file}`))
    .filter(isThere);
  return found.length > 0 ? found : [`${entry}/index.ts`, `${entry}/index.js`].filter(isThere).slice(0, 1);
};

/** Finds the same files as pi's `collectSkillEntries`, `collectAutoPromptEntries` and `collectAutoThemeEntries`. */
const filesOf = (kind: LinkKind, name: string, files: EntryFiles): string[] => {
  if (kind === 'extensions') return extensionFiles(name, files);
  if (kind !== 'skills' && !isOfKind(kind, name, 'file')) return [];
  return [entryFileOf(kind, name)].filter(files.isThere);
};

/** Returns whether pi loads nothing from an entry with this name, because all its files are switched off. */
export const isEntryOff = (isOff: IsOff, kind: LinkKind, name: string, files: EntryFiles): boolean => {
  const found = filesOf(kind, name, files);
  return found.length > 0 && found.every(isOff);
};
