import { PI_FLAGS } from '../../../shared/pi/flags.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import { quoted } from '../../platform/words.ts';
import { rangeOfArg, registered } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

const LONG_FLAGS = PI_FLAGS.map(({ name }) => name).filter((name) => name !== '--');

export const piArgsUnknownFlag = agentRule({
  id: 'pi-args-unknown-flag',
  severity: 'error',
  topic: 'pi-args',
  title: 'A flag that pi does not know',
  why: "pi exits with an error if it does not know a flag. The flags of linked extensions count as known. If an agent loads packages or code that dot-mi can't read, only a near miss of a flag of pi is reported.",
  *check(context) {
    const flags = registered(context, 'flags');
    const known = new Set([...LONG_FLAGS, ...Array.from(flags.names, (name) => `--${name}`)]);
    for (const use of context.piArgs()) {
      const { arg } = use;
      const place = { file: 'pi-args', ...rangeOfArg(arg) };
      if (use.kind === 'unknown_short') {
        yield { ...place, message: `pi has no flag ${quoted(arg.text)}, so it exits with an error.` };
        continue;
      }
      // The rule about "=" has those of pi.
      if (use.kind !== 'other_flag' || known.has(`--${use.name}`)) continue;
      const near = nearestName(`--${use.name}`, known);
      if (!near && !flags.isComplete) continue;
      yield {
        ...place,
        message: `pi does not know ${quoted(arg.text)} and exits with an error. ${
          near ? `Did you mean ${near}?` : 'Remove it, or link the extension that registers it.'
        }`,
        ...(near && use.inlineValue === undefined
          ? {
              fix: {
                title: `Change it to ${near}`,
                safe: false,
                edits: [{ ...rangeOfArg(arg), text: near }],
              },
            }
          : {}),
      };
    }
  },
});
