import { lastUse, rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

export const piArgsNoSession = agentRule({
  id: 'pi-args-no-session',
  severity: 'hint',
  topic: 'pi-args',
  title: 'Runs leave no session',
  why: 'dot-mi reads what an agent spent from its session files. With --no-session there are none, so its spending stays invisible.',
  *check(context) {
    const use = lastUse(context, '--no-session');
    if (!use) return;
    yield {
      file: 'pi-args',
      ...rangeOfArg(use.arg),
      message: "With --no-session, dot-mi can't see what this agent spends.",
    };
  },
});
