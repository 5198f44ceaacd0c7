import type { CheckEdit } from './api/checks.ts';
import { type CheckedText, toCheckedText } from './checked-text.ts';

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const offsetOf = ({ lines, text }: CheckedText, line: number, column: number): number => {
  const found = lines[line - 1];
  return found ? Math.min(found.start + column - 1, text.length) : text.length;
};

const toReplacement = (text: CheckedText, edit: CheckEdit): Replacement => ({
  start: offsetOf(text, edit.line, edit.column),
  end: offsetOf(text, edit.endLine, edit.endColumn),
  text: edit.text,
});

const isSame = (a: Replacement, b: Replacement) =>
  a.start === b.start && a.end === b.end && a.text === b.text;

/** Returns whether two replacements overlap. At the same position, their order would matter. */
const overlap = (a: Replacement, b: Replacement) =>
  a.start === b.start || (a.start < b.end && b.start < a.end);

/**
 * Applies several fixes, each a list of edits, to one text. All edits refer to the original text, so no fix moves
 * another's position. A fix that overlaps an earlier one is refused entirely, and `refused` has its index. An edit
 * that two fixes share is applied once.
 */
export const applyFixes = (
  content: string,
  fixes: readonly (readonly CheckEdit[])[],
): { text: string; refused: number[] } => {
  const text = toCheckedText(content);
  const applied: Replacement[] = [];
  const refused: number[] = [];
  for (const [index, edits] of fixes.entries()) {
    const wanted = edits
      .map((edit) => toReplacement(text, edit))
      .filter((one) => !applied.some((other) => isSame(one, other)));
    if (wanted.some((one) => one.end < one.start || applied.some((other) => overlap(one, other)))) {
      refused.push(index);
    } else applied.push(...wanted);
  }
  applied.sort((a, b) => a.start - b.start);
  let result = '';
  let end = 0;
  for (const one of applied) {
    result += content.slice(end, one.start) + one.text;
    end = one.end;
  }
  return { text: result + content.slice(end), refused };
};
