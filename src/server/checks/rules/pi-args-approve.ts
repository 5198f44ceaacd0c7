import { lastUse, rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

export const piArgsApprove = agentRule({
  id: 'pi-args-approve',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Each directory is trusted',
  why: 'With --approve, pi loads the settings, extensions and prompts in .pi of every directory in which the agent starts. Code from a repository that you only wanted to read could run.',
  *check(context) {
    const use = lastUse(context, '--approve');
    if (!use) return;
    yield {
      file: 'pi-args',
      ...rangeOfArg(use.arg),
      message: `${use.arg.text} trusts the .pi folder of every directory in which this agent starts. Remove it, and answer the question of pi instead.`,
    };
  },
});
