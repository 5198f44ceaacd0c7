import { rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';
import { secretIn } from '../secrets.ts';

const ADVICE = 'Remove it, and log in with /login or use an environment variable.';

export const piArgsSecret = agentRule({
  id: 'pi-args-secret',
  severity: 'warning',
  topic: 'pi-args',
  title: 'A secret in pi-args',
  why: 'Other users of this computer can see the arguments of a running program, and pi-args is easily shared or committed. pi keeps keys in auth.json after /login, and reads them from environment variables.',
  *check({ piArgs }) {
    for (const use of piArgs()) {
      if (use.kind === 'flag' && use.flag.name === '--api-key') {
        yield {
          file: 'pi-args',
          start: use.arg.offset,
          end: rangeOfArg(use.value ?? use.arg).end,
          message: `--api-key shows the key to other users of this computer. ${ADVICE}`,
        };
        continue;
      }
      const inline = use.kind === 'other_flag' && use.name === 'api-key';
      for (const arg of [use.arg, ...('value' in use && use.value ? [use.value] : [])]) {
        const kind = inline ? 'An API key' : secretIn(arg.text);
        if (kind === undefined) continue;
        yield { file: 'pi-args', ...rangeOfArg(arg), message: `${kind} is in pi-args. ${ADVICE}` };
      }
    }
  },
});
