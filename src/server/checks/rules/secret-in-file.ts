import { agentRule } from '../rule.ts';
import { findSecrets } from '../secrets.ts';

/** What to do with a secret in a file. */
const ADVICE = {
  'models.json': 'Write "$NAME" to read it from an environment variable, or log in with /login.',
  'settings.json': 'Remove it, and log in with /login.',
  'SYSTEM.md': 'Each call sends it to the model. Remove it.',
  'APPEND_SYSTEM.md': 'Each call sends it to the model. Remove it.',
  'AGENT.md': 'Each call sends it to the model. Remove it.',
} as const;

export const secretInFile = agentRule({
  id: 'secret-in-file',
  severity: 'warning',
  topic: 'files',
  title: 'A secret in a file of the agent',
  why: 'Keys in these files are easily committed, shared and copied with the agent. The text of a prompt is sent with each call. Only keys in the formats of well-known services are found, and dot-mi never repeats them.',
  *check({ text }) {
    for (const [file, advice] of Object.entries(ADVICE)) {
      const content = text(file as keyof typeof ADVICE);
      if (!content) continue;
      for (const { kind, start, end } of findSecrets(content.text)) {
        yield { file, start, end, message: `${kind} is in ${file}. ${advice}` };
      }
    }
  },
});
