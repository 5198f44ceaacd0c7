import { lastUse, rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

const PAIRS = [
  ['--system-prompt', 'SYSTEM.md'],
  ['--append-system-prompt', 'APPEND_SYSTEM.md'],
] as const;

export const promptShadowed = agentRule({
  id: 'prompt-shadowed',
  severity: 'warning',
  topic: 'files',
  title: 'A prompt file that an argument replaces',
  why: 'With --system-prompt, pi does not read SYSTEM.md. With --append-system-prompt, it does not read APPEND_SYSTEM.md. Keep one of the two.',
  *check(context) {
    for (const [flag, file] of PAIRS) {
      const use = lastUse(context, flag);
      if (!use?.value || !context.text(file)?.text.trim()) continue;
      yield {
        file: 'pi-args',
        ...rangeOfArg(use.arg),
        message: `Because of ${flag}, pi does not read ${file}. Remove one of the two.`,
      };
    }
  },
});
