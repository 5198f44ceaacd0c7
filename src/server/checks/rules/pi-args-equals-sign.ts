import { piFlag } from '../../../shared/pi/flags.ts';
import { rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

export const piArgsEqualsSign = agentRule({
  id: 'pi-args-equals-sign',
  severity: 'error',
  topic: 'pi-args',
  title: 'A flag of pi with "="',
  why: 'pi reads "--model=name" as an unknown flag and exits with an error. The value belongs on the next line.',
  *check({ piArgs }) {
    for (const use of piArgs()) {
      if (use.kind !== 'other_flag' || use.inlineValue === undefined) continue;
      const flag = piFlag(`--${use.name}`);
      if (!flag) continue;
      const { start, end } = rangeOfArg(use.arg);
      const equals = start + flag.name.length;
      const takesValue = flag.value !== undefined && use.inlineValue !== '';
      yield {
        file: 'pi-args',
        start,
        end,
        message: `pi does not accept "=" after ${flag.name}. ${
          takesValue ? 'Put the value on the next line.' : 'Remove it.'
        }`,
        // pi refuses to start with it, so the fix changes nothing that works.
        ...(takesValue
          ? {
              fix: {
                title: 'Put the value on the next line',
                safe: true,
                edits: [{ start: equals, end: equals + 1, text: '\n' }],
              },
            }
          : {}),
      };
    }
  },
});
