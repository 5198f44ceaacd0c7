import type { CheckedText, TextLine, TextRange } from '../../shared/checked-text.ts';

/** A command as the shell parses it, including its continuation lines. */
export interface Command extends TextRange {
  readonly text: string;
}

const isTableRow = (text: string): boolean => text.startsWith('|');

/** Returns whether a command continues after a line. */
const continues = (line: string, next: string | undefined): boolean =>
  /(?:\\|(?<!\|)\|)$/.test(line) ? !isTableRow(line) : (next?.startsWith('|') ?? false) && !isTableRow(line);

/** Yields the commands in some text, each joined with its continuation lines. */
export function* commandsIn({ text, lines }: CheckedText): Generator<Command> {
  const trimmed = (line: TextLine | undefined) => line?.text.trim();
  for (let index = 0; index < lines.length; index++) {
    const first = lines[index] as TextLine;
    let last = first;
    while (continues(trimmed(last) ?? '', trimmed(lines[index + 1]))) {
      const next = lines[index + 1];
      if (!next) break;
      last = next;
      index++;
    }
    const command = text.slice(first.start, last.end);
    const start = first.start + (command.length - command.trimStart().length);
    const end = first.start + command.trimEnd().length;
    if (end > start) yield { text: text.slice(start, end), start, end };
  }
}

const SHELL =
  /^(?:(?:sudo|env|command|exec)\s+){0,3}(?:\/(?:usr\/)?bin\/)?((?:ba|z|da|k|fi)?sh|iex|Invoke-Expression)\b(.*)/is;
const INTERPRETER =
  /^(?:(?:sudo|env|command|exec)\s+){0,3}(?:\/(?:usr\/)?bin\/)?(?:python[\d.]*|node|perl|ruby|php)\b\s*(?:-\s|-?$|[`"')])/i;
/** Flags and redirections after a shell that reads its commands from the pipe. */
const FROM_PIPE = /^\s*(?:$|[`"')\];&]|-(?![A-Za-z]*c)|\d?>)/;

/** Returns whether this part of a pipeline runs its input. */
const runsInput = (part: string): boolean => {
  const command = part.trim();
  const shell = SHELL.exec(command);
  return shell ? FROM_PIPE.test(shell[2] ?? '') : INTERPRETER.test(command);
};

/** Returns whether a part of a pipeline matches `source` and a later part runs its input. */
export const pipesIntoShell = (command: string, source: RegExp): boolean => {
  if (isTableRow(command)) return false;
  const parts = command.split(/(?<!\|)\|(?!\|)/);
  const from = parts.findIndex((part) => source.test(part));
  return from >= 0 && parts.slice(from + 1).some(runsInput);
};

/** Returns whether a line advises against something. */
export const isAdviceAgainst = (text: string): boolean =>
  /\b(?:never|do not|don['’]t|must not|avoid|instead of|without running)\b/i.test(text);
