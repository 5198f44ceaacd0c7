/** The length limit for descriptions, as for a skill's. Longer ones are cut. */
const MAX_DESCRIPTION = 1024;
/** How much of a file is searched for its first comment, in characters. */
const MAX_COMMENT = 16 * 1024;
/** A first paragraph up to this length that isn't a sentence is treated as a title. */
const MAX_TITLE = 60;

/** Comments that don't describe the file. */
const NOTICE =
  /^(?:@license|@preserve|@ts-|copyright\b|\(c\)|©|spdx-|eslint|biome-|prettier-|oxlint|\/|<reference|#)/i;
/** Tags that precede a description of the file. */
const FILE_TAG = /^@(?:file|fileoverview|overview|module|packageDocumentation|description|remarks)\b[ \t]*/;

/** Returns the lines of the comment at the start of the text, and the rest. Undefined if there's no comment. */
const firstComment = (text: string): { lines: string[]; rest: string } | undefined => {
  const begun = text.trimStart();
  if (begun.startsWith('/*')) {
    const end = begun.indexOf('*/', 2);
    if (end < 0) return undefined;
    const lines = begun
      .slice(2, end)
      .replace(/^[*!]+/, '')
      .split('\n');
    return { lines: lines.map((line) => line.trim().replace(/^\*+/, '').trim()), rest: begun.slice(end + 2) };
  }
  if (!begun.startsWith('//')) return undefined;
  const all = begun.split('\n');
  const code = all.findIndex((line) => !line.trimStart().startsWith('//'));
  const count = code < 0 ? all.length : code;
  return {
    lines: all.slice(0, count).map((line) => line.trimStart().slice(2).trim()),
    rest: all.slice(count).join('\n'),
  };
};

/** Returns the paragraphs of a comment, up to the first unrelated tag. */
const paragraphsOf = (lines: readonly string[]): string[] => {
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    const text = line.replace(FILE_TAG, '');
    if (text.startsWith('@') && !NOTICE.test(text)) break;
    if (text === '') paragraphs.push([]);
    else paragraphs.at(-1)?.push(text);
  }
  return paragraphs.filter((paragraph) => paragraph.length > 0).map((paragraph) => paragraph.join(' '));
};

const isSentence = (text: string) => /[.!?…]$/.test(text);

/**
 * Returns an extension's description: the title, if any, and first paragraph of the first comment that isn't a
 * notice.
 */
export const descriptionOf = (text: string): string | undefined => {
  let rest = text
    .slice(0, MAX_COMMENT)
    .replace(/^\uFEFF/, '')
    .replace(/^#!.*\n/, '');
  for (let comment = firstComment(rest); comment; comment = firstComment(rest)) {
    const [first, second] = paragraphsOf(comment.lines);
    if (first !== undefined && !NOTICE.test(first)) {
      const isTitle = first.length <= MAX_TITLE && !isSentence(first);
      return shortened(isTitle && second !== undefined && isSentence(second) ? `${first}: ${second}` : first);
    }
    rest = comment.rest;
  }
  return undefined;
};

/** Shortens text to one line of at most `max` characters. */
export const shortened = (text: string, max = MAX_DESCRIPTION): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
};

/**
 * Returns whether a module may have a default export, which pi needs. A module with neither word has none. Only running
 * the module would reveal other load errors.
 */
export const mayExportDefault = (text: string): boolean => /\bdefault\b|\bexports\b/.test(text);
