import { rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';
import { findSecrets } from '../secrets.ts';

const ADVICE = 'Remove it, and log in with /login or use an environment variable.';

export const piArgsSecret = agentRule({
  id: 'pi-args-secret',
  severity: 'warning',
  topic: 'pi-args',
  title: 'A secret in pi-args',
  why: 'Other users of this computer can see the arguments of a running program, and pi-args is easily shared or committed. pi keeps keys in auth.json after /login, and reads them from environment variables.',
  *check({ piArgs, text }) {
    let next = 0;
    const flags = piArgs().filter(
      (use) =>
        (use.kind === 'flag' && use.flag.name === '--api-key') ||
        (use.kind === 'other_flag' && use.name === 'api-key'),
    );
    const reported = flags.map((use) => {
      const last = 'value' in use && use.value ? use.value : use.arg;
      return { start: use.arg.offset, end: rangeOfArg(last).end };
    });
    for (const range of reported) {
      yield {
        file: 'pi-args',
        ...range,
        message: `--api-key shows the key to other users of this computer. ${ADVICE}`,
      };
    }
    // Comments too: they are shared and committed with the file.
    for (const { kind, ...range } of findSecrets(text('pi-args')?.text ?? '')) {
      while ((reported[next]?.end ?? Number.POSITIVE_INFINITY) < range.end) next++;
      const known = reported[next];
      if (known && known.start <= range.start) continue;
      yield { file: 'pi-args', ...range, message: `${kind} is in pi-args. ${ADVICE}` };
    }
  },
});
