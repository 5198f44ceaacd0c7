import ignore, { type Ignore } from 'ignore';

/** The files in a directory of skills that can hide skills from pi, in the order in which pi reads them. */
export const IGNORE_FILES = ['.gitignore', '.ignore', '.fdignore'] as const;

/** Ignore rules of a directory and of the directories above it, relative to the directory at the top. */
export type IgnoreRules = readonly string[];

/** The longest part of an ignore file that counts. Nobody writes more. */
const MAX_RULES = 1_000;

/** With more of these in one rule, the time of `ignore` would grow with a power of the path's depth. */
const MAX_DOUBLE_STARS = 2;

/**
 * The rules in an ignore file of pi. `prefix` is the directory of the file below the top, such as `group/`,
 * or empty at the top. As in pi, a leading slash is dropped, so at the top it anchors nothing.
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

/** Compiled rules, to match many paths. */
const compiled = new WeakMap<IgnoreRules, Ignore>();

/** Whether rules hide a path below the top, with `/` between its names. A hidden directory hides its content. */
export const isIgnored = (rules: IgnoreRules, path: string, isDirectory: boolean): boolean => {
  const known = compiled.get(rules) ?? ignore().add(rules);
  compiled.set(rules, known);
  return known.ignores(isDirectory ? `${path}/` : path);
};
