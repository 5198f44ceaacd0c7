import ignore, { type Ignore } from 'ignore';

/** The files that can hide skills from pi, in a directory of skills. pi reads them in this order. */
export const IGNORE_FILES = ['.gitignore', '.ignore', '.fdignore'] as const;

/** The ignore rules of a directory and its parents, relative to the topmost one. */
export type IgnoreRules = readonly string[];

/** The limit for rules in an ignore file. Real files have fewer. */
const MAX_RULES = 1_000;

/** The limit for `**` in a rule. With more, `ignore`'s time grows with a power of the path's depth. */
const MAX_DOUBLE_STARS = 2;

/**
 * Returns the rules in one of pi's ignore files. `prefix` is the file's directory below the topmost one, such as
 * `group/`, or empty for that one. As in pi, a leading slash is dropped, so it anchors nothing in the topmost
 * directory.
 */
export const ignoreRulesIn = (text: string, prefix: string): IgnoreRules =>
  text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
    .filter((line) => line.split('**').length <= MAX_DOUBLE_STARS + 1)
    .slice(0, MAX_RULES)
    .map((line) => {
      const pattern = (/^\\?!/.test(line) ? line.replace(/^\\?!/, '') : line).replace(/^\//, '');
      return `${line.startsWith('!') ? '!' : ''}${prefix}${pattern}`;
    });

/** Caches compiled rules, because many paths are matched against them. */
const compiled = new WeakMap<IgnoreRules, Ignore>();

/**
 * Returns whether rules hide a path below the topmost directory, with `/` between its names. A hidden directory hides
 * its contents.
 */
export const isIgnored = (rules: IgnoreRules, path: string, isDirectory: boolean): boolean => {
  const known = compiled.get(rules) ?? ignore().add(rules);
  compiled.set(rules, known);
  return known.ignores(isDirectory ? `${path}/` : path);
};
