import { nearestName } from '../../platform/nearest-name.ts';
import { listed, quoted } from '../../platform/words.ts';
import { rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

export const piArgsBadValue = agentRule({
  id: 'pi-args-bad-value',
  severity: 'error',
  topic: 'pi-args',
  title: 'A value that a flag does not accept',
  why: 'pi ignores a thinking level that it does not know, and exits with an error for another mode or list of tools. Since pi 1.5, --tools is either a list of names, or a list of changes such as "+grep,-write".',
  *check({ piArgs }) {
    for (const use of piArgs()) {
      if (use.kind !== 'flag' || !use.value || use.value.text.startsWith('-')) continue;
      const { flag, value } = use;
      const place = { file: 'pi-args', ...rangeOfArg(value) };
      if (flag.values && !flag.values.includes(value.text)) {
        const near = nearestName(value.text, flag.values);
        yield {
          ...place,
          message: `${flag.name} does not accept ${quoted(value.text)}. Use ${listed(flag.values).replace(' and ', ' or ')}.`,
          ...(near
            ? {
                fix: {
                  title: `Change it to "${near}"`,
                  safe: false,
                  edits: [{ ...rangeOfArg(value), text: near }],
                },
              }
            : {}),
        };
      }
      if (flag.name !== '--tools') continue;
      const names = value.text.split(',').filter((name) => name !== '');
      const changes = names.filter((name) => /^[+-]/.test(name)).length;
      if (changes > 0 && changes < names.length) {
        yield {
          ...place,
          message: '--tools mixes names with changes such as "+name". Use only names, or only changes.',
        };
      }
    }
  },
});
