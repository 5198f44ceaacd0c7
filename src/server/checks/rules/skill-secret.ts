import { skillRule } from '../rule.ts';
import { findSecrets } from '../secrets.ts';

export const skillSecret = skillRule({
  id: 'skill-secret',
  severity: 'warning',
  topic: 'security',
  title: 'A secret in a skill',
  why: 'Skills are copied and shared, and what a model reads is sent to its provider. Use an environment variable. Only keys in the formats of well-known services are found, and dot-mi never repeats them.',
  *check({ texts }) {
    for (const [file, content] of texts()) {
      for (const { kind, start, end } of findSecrets(content.text)) {
        yield {
          file,
          start,
          end,
          message: `${kind} is in ${file}. Remove it, and use an environment variable.`,
        };
      }
    }
  },
});
