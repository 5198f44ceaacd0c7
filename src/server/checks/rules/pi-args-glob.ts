import { quoted } from '../../platform/words.ts';
import { rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

export const piArgsGlob = agentRule({
  id: 'pi-args-glob',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Characters of a file pattern',
  why: 'A launcher in bash replaces an argument with *, ? or [ by the names of matching files, if there are any. The same agent then starts differently in different directories.',
  *check({ piArgsLines }) {
    for (const arg of piArgsLines().flatMap(({ args }) => args)) {
      if (!/[*?[]/.test(arg.text)) continue;
      yield {
        file: 'pi-args',
        ...rangeOfArg(arg),
        message: `Some launchers replace ${quoted(arg.text)} with the names of matching files. Write the value without *, ? and [, if you can.`,
      };
    }
  },
});
