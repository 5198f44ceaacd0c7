import { agentRule } from '../rule.ts';

export const settingsJsonSyntax = agentRule({
  id: 'settings-json-syntax',
  severity: 'error',
  topic: 'files',
  title: 'settings.json is not valid JSON',
  why: "pi ignores all of settings.json if it can't parse it. Unlike models.json, it may have no comments and no commas after the last value.",
  *check({ json, text }) {
    const error = json('settings.json')?.error;
    // To pi, an empty file is no file.
    if (!error || text('settings.json')?.text === '') return;
    yield {
      file: 'settings.json',
      ...error,
      message: 'settings.json is not valid JSON from here on, so pi ignores all of it. Correct it.',
    };
  },
});
