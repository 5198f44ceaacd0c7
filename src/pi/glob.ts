/** Matches a path, with `/` between its names. */
export type Glob = (path: string) => boolean;

/** Matches one character, or any number of characters. */
type Token = '*' | ((character: string) => boolean);

/** Longer patterns, and braces with more alternatives, match nothing. Nobody writes those. */
const MAX_LENGTH = 500;
const MAX_ALTERNATIVES = 50;

const NEVER: Glob = () => false;

/** Expands braces such as `{a,b}`. Undefined if there are too many alternatives. */
const alternatives = (pattern: string): string[] | undefined => {
  let found = [pattern];
  for (let open = true; open; ) {
    open = false;
    found = found.flatMap((text) => {
      const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(text) ?? [];
      if (whole === undefined || inner === undefined) return [text];
      open = true;
      return inner.split(',').map((part) => text.replace(whole, () => part));
    });
    if (found.length > MAX_ALTERNATIVES) return undefined;
  }
  return found;
};

const setOf = (text: string): Token => {
  try {
    const set = new RegExp(`^[${text.replace(/^!/, '^').replace(/[[\\]/g, '\\$&')}]$`);
    return (character) => set.test(character);
  } catch {
    // The pattern isn't valid. For example, it has a reversed range.
    return () => false;
  }
};

const tokensOf = (name: string): Token[] =>
  Array.from(
    name.matchAll(/\\(.)|(\*+)|(\?)|\[([!^]?\]?[^\]]*)\]|(.)/gs),
    ([, escaped, stars, any, set, plain]) => {
      if (stars !== undefined) return '*';
      if (any !== undefined) return () => true;
      if (set !== undefined) return setOf(set);
      return (character) => character === (escaped ?? plain);
    },
  );

/** Backtracks only to the last star, so the time is at most the name's length times the pattern's. */
const matchesTokens = (tokens: readonly Token[], name: string): boolean => {
  let at = 0;
  let token = 0;
  let star = -1;
  let retry = 0;
  while (at < name.length) {
    const now = tokens[token];
    if (now === '*') {
      star = token++;
      retry = at;
    } else if (now?.(name.charAt(at))) {
      at++;
      token++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++retry;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest === '*');
};

/** Matches one name in a path. Only a dot in the pattern matches a leading dot. */
const nameGlob = (pattern: string): Glob => {
  if (!/[*?[\\]/.test(pattern)) return (name) => name === pattern;
  const tokens = tokensOf(pattern);
  const isHidden = /^\\?\./.test(pattern);
  return (name) => name !== '' && name.startsWith('.') === isHidden && matchesTokens(tokens, name);
};

const pathGlob = (pattern: string): Glob => {
  const parts = pattern.split(/\/+/).map((part) => (part === '**' ? part : nameGlob(part)));
  return (path) => {
    const names = path.split(/\/+/);
    /** The possible numbers of the path's names that the parts so far match. */
    let reached = new Set([0]);
    for (const [index, part] of parts.entries()) {
      const next = new Set<number>();
      for (const start of reached) {
        if (part !== '**') {
          const name = names[start];
          if (name !== undefined && part(name)) next.add(start + 1);
          continue;
        }
        // At the end, `**` matches a directory's contents, but not the directory.
        if (index < parts.length - 1) next.add(start);
        for (let end = start; end < names.length && !names[end]?.startsWith('.'); end++) {
          if (next.has(end + 1)) break;
          next.add(end + 1);
        }
      }
      reached = next;
    }
    return reached.has(names.length);
  };
};

/**
 * Compiles a pattern as pi's `minimatch` does, except extended ones such as `+(a|b)`, which match nothing here.
 * Matching never takes longer than the pattern's length times the path's.
 */
export const compileGlob = (pattern: string): Glob => {
  const [marks = ''] = /^!*/.exec(pattern) ?? [];
  const text = pattern.slice(marks.length);
  const isNegated = marks.length % 2 === 1;
  if (pattern.startsWith('#') || text.length > MAX_LENGTH || /[?*+@!]\(/.test(text)) return NEVER;
  const globs = alternatives(text)?.map(pathGlob);
  return globs ? (path) => globs.some((matches) => matches(path)) !== isNegated : NEVER;
};
