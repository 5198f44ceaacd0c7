import { jsonProblems } from '../json-problems.ts';
import { modelsSchema } from '../pi-schemas.ts';
import { agentRule } from '../rule.ts';

export const modelsJsonValue = agentRule({
  id: 'models-json-value',
  severity: 'error',
  topic: 'files',
  title: 'models.json with a wrong value',
  why: 'If one value in models.json is missing or wrong, pi ignores the whole file. The schema of pi 1.5.2 says what is right, and keys that it does not know are left alone.',
  *check({ json }) {
    const document = json('models.json');
    if (!document) return;
    for (const { message, ...place } of jsonProblems(document, modelsSchema())) {
      yield {
        file: 'models.json',
        ...place,
        message: `${message} pi ignores models.json until it is right.`,
      };
    }
  },
});
