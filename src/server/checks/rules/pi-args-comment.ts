import { rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

export const piArgsComment = agentRule({
  id: 'pi-args-comment',
  severity: 'error',
  topic: 'pi-args',
  title: 'A comment that is not at the start of a line',
  why: 'Only a line that starts with "#" is a comment. Elsewhere, pi gets the words of the comment as its first message, or as the value of a flag.',
  *check({ text, piArgsLines }) {
    const content = text('pi-args')?.text ?? '';
    for (const { number, args } of piArgsLines()) {
      const mark = args.find((arg) => arg.text.startsWith('#'));
      const first = args[0];
      const last = args.at(-1);
      if (!mark || !first || !last) continue;
      const { start } = rangeOfArg(mark);
      const { end } = rangeOfArg(last);
      const before = args[args.indexOf(mark) - 1];
      const lineStart = first.offset - first.column + 1;
      yield {
        file: 'pi-args',
        start,
        end,
        message: `pi gets this comment as arguments. Put it on a line of its own that starts with "#". Line ${number} is not skipped.`,
        fix: before
          ? {
              title: 'Move the comment to the line before',
              safe: false,
              edits: [
                { start: lineStart, end: lineStart, text: `${content.slice(start, end)}\n` },
                { start: rangeOfArg(before).end, end, text: '' },
              ],
            }
          : { title: 'Remove the spaces', safe: false, edits: [{ start: lineStart, end: start, text: '' }] },
      };
    }
  },
});
