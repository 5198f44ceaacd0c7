/** A description longer than that of a skill may be is cut. */
const MAX_DESCRIPTION = 1024;
/** So much of a file is searched for its comment. */
const MAX_COMMENT = 16 * 1024;
/** A first line that is no sentence, and not longer than this, is a title. */
const MAX_TITLE = 60;

/** Comments that say nothing of what the file is for. */
const NOTICE =
  /^(?:@license|@preserve|@ts-|copyright\b|\(c\)|©|spdx-|eslint|biome-|prettier-|oxlint|\/|<reference|#)/i;
/** Tags before a text that is about the file. */
const FILE_TAG = /^@(?:file|fileoverview|overview|module|packageDocumentation|description|remarks)\b[ \t]*/;

/** The lines of the comment a text begins with, and what comes after it; undefined where there is none. */
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

/** The paragraphs of a comment, up to its first tag that is about something else. */
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

/** What the comment at the head of an extension's entry file says it is for: its first paragraph, with a title before it. */
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

/** One line of at most `max` characters. */
export const shortened = (text: string, max = MAX_DESCRIPTION): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
};

/**
 * Whether a module may have a default export, which pi takes an extension by. Without either word it has none; what else
 * keeps it from loading only running it could tell.
 */
export const mayExportDefault = (text: string): boolean => /\bdefault\b|\bexports\b/.test(text);
