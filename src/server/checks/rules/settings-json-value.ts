import { jsonProblems } from '../json-problems.ts';
import { settingsSchema } from '../pi-schemas.ts';
import { agentRule } from '../rule.ts';

export const settingsJsonValue = agentRule({
  id: 'settings-json-value',
  severity: 'warning',
  topic: 'files',
  title: 'A setting with a wrong value',
  why: 'pi does not check the values in settings.json. It ignores a wrong one, or fails when it uses it. The schema of pi 1.5.2 says what is right, and keys that it does not know are left alone.',
  *check({ json }) {
    const document = json('settings.json');
    if (!document) return;
    for (const problem of jsonProblems(document, settingsSchema()))
      yield { file: 'settings.json', ...problem };
  },
});
