import { memberOf, nodeAt, rangeOf } from '../json-document.ts';
import { providersIn } from '../pi-schemas.ts';
import { agentRule } from '../rule.ts';

/** The name of an environment variable, as people write them for keys. */
const VARIABLE = /^[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:KEY|TOKEN|SECRET)$/;

export const modelsJsonEnvName = agentRule({
  id: 'models-json-env-name',
  severity: 'hint',
  topic: 'files',
  title: 'An environment variable without "$"',
  why: 'Before version 0.77, pi looked up "MY_API_KEY" as an environment variable. Newer versions send this text as the key, and need "$MY_API_KEY". Old versions do not know "$", so change it when you update pi.',
  *check({ json }) {
    const document = json('models.json');
    for (const [name, { apiKey }] of providersIn(document?.value)) {
      if (apiKey === undefined || !VARIABLE.test(apiKey)) continue;
      const member = memberOf(nodeAt(document?.root, ['providers', name]), 'apiKey');
      if (!member) continue;
      const { start, end } = rangeOf(member.value);
      yield {
        file: 'models.json',
        start,
        end,
        message: `pi 0.77 and later send "${apiKey}" itself as the key. For these versions, write "$${apiKey}".`,
      };
    }
  },
});
