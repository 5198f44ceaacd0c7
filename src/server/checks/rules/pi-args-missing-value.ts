import { quoted } from '../../platform/words.ts';
import { rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

/** Flags whose value is any text, which may begin with a dash. */
const TEXT_FLAGS = new Set(['--system-prompt', '--append-system-prompt', '--name']);

export const piArgsMissingValue = agentRule({
  id: 'pi-args-missing-value',
  severity: 'error',
  topic: 'pi-args',
  title: 'A flag without its value',
  why: 'Most flags that need a value take the next argument, even if it is a flag. At the end of pi-args, they take what the person typed, or pi exits with an error.',
  *check({ piArgs }) {
    for (const use of piArgs()) {
      if (use.kind !== 'flag' || use.flag.value === undefined || use.flag.value === 'optional') continue;
      const { arg, flag, value } = use;
      const isFlag = value?.text.startsWith('-') && !TEXT_FLAGS.has(flag.name);
      if (value && !isFlag) continue;
      yield {
        file: 'pi-args',
        ...rangeOfArg(arg),
        message: value
          ? `${arg.text} needs a value, and pi takes ${quoted(value.text)} for it. Add the value on the line after ${arg.text}.`
          : `${arg.text} needs a value. Add it on the next line.`,
      };
    }
  },
});
