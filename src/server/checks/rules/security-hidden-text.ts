import type { TextLine } from '../checked-text.ts';
import { skillRule } from '../rule.ts';

const HIDDEN = /[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]+/gu;
const HAS_HIDDEN = new RegExp(HIDDEN.source, 'u');
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]/;
/** Marks for text from right to left. The overrides U+202D and U+202E are not among them: no language needs those. */
const ONLY_DIRECTION = /^[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]+$/;
/** Emoji and many scripts join or break words with these. */
const ONLY_JOINS = /^[\u200b-\u200d]$/;
const LATIN = /[\x20-\x7e]/;
const FLAG = '\u{1f3f4}';
/** The tags of a flag such as Scotland's. */
const ONLY_TAGS = /^[\u{e0020}-\u{e007f}]{2,7}$/u;

/** The most runs that one fix removes. A line has one or two. */
const MAX_RUNS = 100;

/** The first runs of invisible characters in a line that its writing doesn't need. */
const hiddenIn = ({ text, start }: TextLine): { start: number; end: number; text: string }[] => {
  const needsDirection = RIGHT_TO_LEFT.test(text);
  const found: ReturnType<typeof hiddenIn> = [];
  for (const { 0: run, index } of text.matchAll(HIDDEN)) {
    const before = text[index - 1];
    const after = text[index + run.length];
    const isNeeded =
      (needsDirection && ONLY_DIRECTION.test(run)) ||
      (ONLY_JOINS.test(run) && [before, after].some((char) => char !== undefined && !LATIN.test(char))) ||
      (ONLY_TAGS.test(run) && text.slice(index - FLAG.length, index) === FLAG);
    if (!isNeeded) found.push({ start: start + index, end: start + index + run.length, text: run });
    if (found.length > MAX_RUNS) break;
  }
  return found;
};

/** The first characters of runs, such as "U+200B, U+202E". */
const codesOf = (runs: readonly { text: string }[]): string => {
  const chars = new Set(runs.flatMap(({ text }) => Array.from(text.slice(0, 20))));
  const codes = [...chars].slice(0, 3).map((char) => char.codePointAt(0)?.toString(16).toUpperCase() ?? '');
  return codes.map((code) => `U+${code.padStart(4, '0')}`).join(', ');
};

export const securityHiddenText = skillRule({
  id: 'security-hidden-text',
  severity: 'warning',
  topic: 'security',
  title: 'Invisible characters',
  why: 'A model reads characters that you do not see: text without width, tags, and marks that change the order in which text is shown. They can hide instructions. Characters that emoji, or languages written from right to left, need are left alone.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      if (!HAS_HIDDEN.test(content.text)) continue;
      for (const line of content.lines) {
        const hidden = HAS_HIDDEN.test(line.text) ? hiddenIn(line) : [];
        const [first] = hidden;
        const last = hidden.at(-1);
        if (!first || !last) continue;
        yield {
          file,
          start: first.start,
          end: last.end,
          message: `This line has invisible characters (${codesOf(hidden)}). A model reads them, and you don't see them. Remove them.`,
          ...(hidden.length > MAX_RUNS
            ? {}
            : {
                fix: {
                  title: 'Remove the invisible characters',
                  safe: false,
                  edits: hidden.map(({ start, end }) => ({ start, end, text: '' })),
                },
              }),
        };
      }
    }
  },
});
