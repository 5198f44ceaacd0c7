import { rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

/** What a flag does to each run. */
const EFFECTS: Readonly<Record<string, string>> = {
  '--print': 'no run is interactive any more',
  '--mode': 'no run is interactive any more',
  '--export': 'each run exports a session and ends',
  '--list-models': 'each run lists the models and ends',
  '--help': 'each run shows the help and ends',
  '--version': 'each run shows the version and ends',
};

export const piArgsEveryRun = agentRule({
  id: 'pi-args-every-run',
  severity: 'warning',
  topic: 'pi-args',
  title: 'A flag for a single run',
  why: 'pi-args counts for each run of the agent. A flag such as --print or --help is meant for one run, and is better typed when it is needed.',
  *check({ piArgs }) {
    for (const use of piArgs()) {
      const effect = use.kind === 'flag' ? EFFECTS[use.flag.name] : undefined;
      if (effect === undefined) continue;
      const { arg } = use;
      yield {
        file: 'pi-args',
        ...rangeOfArg(arg),
        message: `With ${arg.text} in pi-args, ${effect}. Remove it, and type it when you need it.`,
      };
    }
  },
});
