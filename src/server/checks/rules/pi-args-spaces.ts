import type { TextLine } from '../checked-text.ts';
import { agentRule } from '../rule.ts';

const outerSpaces = ({ text, start, end }: TextLine) => {
  const before = text.length - text.trimStart().length;
  const after = text.length - text.trimEnd().length;
  return [
    { start, end: start + before },
    { start: end - after, end },
  ].filter((range) => range.end > range.start);
};

export const piArgsSpaces = agentRule({
  id: 'pi-args-spaces',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Spaces around an argument',
  why: 'bash drops the spaces around an argument, but zsh passes them to pi, which then does not know the flag. A "#" after spaces does not begin a comment.',
  *check({ text }) {
    for (const line of text('pi-args')?.lines ?? []) {
      const trimmed = line.text.trim();
      // A comment may end with spaces. An indented one is not a comment, and has its own rule.
      if (trimmed === '' || trimmed.startsWith('#')) continue;
      const ranges = outerSpaces(line);
      const [first] = ranges;
      if (!first) continue;
      yield {
        file: 'pi-args',
        ...first,
        message: `Line ${line.number} has spaces around its argument. Remove them, because some launchers pass them to pi.`,
        fix: {
          title: 'Remove the spaces',
          safe: true,
          edits: ranges.map((range) => ({ ...range, text: '' })),
        },
      };
    }
  },
});
