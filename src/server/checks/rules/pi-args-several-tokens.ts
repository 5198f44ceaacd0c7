import { agentRule } from '../rule.ts';

export const piArgsSeveralTokens = agentRule({
  id: 'pi-args-several-tokens',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Several arguments on one line',
  why: 'bash splits a line of pi-args at its spaces, but zsh passes it as one argument. With one argument on each line, every launcher starts the agent in the same way.',
  *check({ piArgsLines }) {
    for (const { number, args } of piArgsLines()) {
      const [first] = args;
      const last = args.at(-1);
      // A comment in the wrong place has its own rule.
      if (!first || !last || args.length < 2 || args.some(({ text }) => text.startsWith('#'))) continue;
      yield {
        file: 'pi-args',
        start: first.offset,
        end: last.offset + last.text.length,
        message: `Line ${number} has ${args.length} arguments. Put each on its own line, because some launchers pass a line as one.`,
        fix: {
          title: 'Put each argument on its own line',
          safe: true,
          edits: args.slice(1).map((arg, index) => {
            const before = args[index] ?? arg;
            return { start: before.offset + before.text.length, end: arg.offset, text: '\n' };
          }),
        },
      };
    }
  },
});
