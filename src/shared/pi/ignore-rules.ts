/** The files in a directory of skills that can hide skills from pi, in the order in which pi reads them. */
export const IGNORE_FILES = ['.gitignore', '.ignore', '.fdignore'] as const;

/** One line of an ignore file. Its place doesn't matter any more. */
interface IgnoreRule {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** The parts of its path. The first is `**` if it may match at any depth. */
  readonly parts: readonly string[];
}

/** Ignore rules of a directory and of the directories above it, relative to the directory at the top. */
export type IgnoreRules = readonly IgnoreRule[];

/** How much of an ignore file counts. More isn't written by people. */
const MAX_RULES = 1_000;

const toRule = (pattern: string, negated: boolean): IgnoreRule | undefined => {
  const path = pattern.replace(/(?<!\\)[ \t]+$/, '');
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  const isAnchored = path.slice(0, -1).includes('/');
  return {
    negated,
    directoriesOnly: path.endsWith('/'),
    parts: isAnchored || parts[0] === '**' ? parts : ['**', ...parts],
  };
};

/**
 * The rules in an ignore file of pi. `prefix` is the directory of the file below the top, such as `group/`,
 * or empty at the top. As in pi, a leading slash is dropped, so at the top it anchors nothing.
 */
export const ignoreRulesIn = (text: string, prefix: string): IgnoreRules =>
  text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.trim().startsWith('#'))
    .slice(0, MAX_RULES)
    .flatMap((line) => {
      const negated = line.startsWith('!');
      const pattern = (/^\\?!/.test(line) ? line.slice(1) : line).replace(/^\//, '');
      return toRule(`${prefix}${pattern}`, negated) ?? [];
    });

/** The characters that a `[…]` matches, and where it ends. Undefined if it never ends. */
const readClass = (pattern: string, from: number) => {
  const end = pattern.indexOf(']', from + 2);
  if (end === -1) return undefined;
  const body = pattern.slice(from + 1, end);
  const isNegated = /^[!^]/.test(body);
  const members = isNegated ? body.slice(1) : body;
  const matches = (char: string): boolean => {
    for (let at = 0; at < members.length; at++) {
      const last = members[at + 1] === '-' ? members[at + 2] : undefined;
      if (last === undefined) {
        if (members[at] === char) return true;
      } else {
        if (char >= (members[at] ?? '') && char <= last) return true;
        at += 2;
      }
    }
    return false;
  };
  return { end, test: (char: string) => matches(char) !== isNegated };
};

/** Matches one name. Never goes back further than the last `*`, so the time is the product of the lengths. */
const matchesName = (pattern: string, name: string): boolean => {
  let [at, pos] = [0, 0];
  let star = -1;
  let starPos = 0;
  while (pos < name.length) {
    const char = name[pos] ?? '';
    const token = pattern[at];
    const group = token === '[' ? readClass(pattern, at) : undefined;
    if (token === '*') {
      star = at++;
      starPos = pos;
    } else if (group?.test(char)) {
      at = group.end + 1;
      pos++;
    } else if (!group && token === '\\' && pattern[at + 1] === char) {
      at += 2;
      pos++;
    } else if (!group && (token === '?' || token === char)) {
      at++;
      pos++;
    } else if (star >= 0) {
      at = star + 1;
      pos = ++starPos;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
};

const matchesParts = (parts: readonly string[], names: readonly string[]): boolean => {
  let [at, pos] = [0, 0];
  let star = -1;
  let starPos = 0;
  while (pos < names.length) {
    const part = parts[at];
    if (part === '**') {
      star = at++;
      starPos = pos;
      // At the end, it matches what is inside, not the directory.
      if (at === parts.length) return true;
    } else if (part !== undefined && matchesName(part, names[pos] ?? '')) {
      at++;
      pos++;
    } else if (star >= 0) {
      at = star + 1;
      pos = ++starPos;
    } else return false;
  }
  return at === parts.length;
};

/** Whether rules hide a path below the top, with `/` between its names. A hidden directory hides what it holds. */
export const isIgnored = (rules: IgnoreRules, path: string, isDirectory: boolean): boolean => {
  const names = path.split('/');
  for (let depth = 1; depth <= names.length; depth++) {
    const rule = rules.findLast(
      ({ directoriesOnly, parts }) =>
        (isDirectory || depth < names.length || !directoriesOnly) &&
        matchesParts(parts, names.slice(0, depth)),
    );
    if (rule && !rule.negated) return true;
  }
  return false;
};
