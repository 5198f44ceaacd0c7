import { agentRule } from '../rule.ts';

export const modelsJsonSyntax = agentRule({
  id: 'models-json-syntax',
  severity: 'error',
  topic: 'files',
  title: 'models.json is not valid JSON',
  why: "pi knows none of the providers in models.json if it can't parse the file. Comments with // and commas after the last value are fine.",
  *check({ json }) {
    const error = json('models.json')?.error;
    if (!error) return;
    yield {
      file: 'models.json',
      ...error,
      message: 'models.json is not valid JSON from here on, so pi ignores all of it. Correct it.',
    };
  },
});
