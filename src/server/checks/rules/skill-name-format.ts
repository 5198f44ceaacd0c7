import { skillRule } from '../rule.ts';
import { catalogFindings } from '../skill-fields.ts';

export const skillNameFormat = skillRule({
  id: 'skill-name-format',
  severity: 'warning',
  topic: 'skill',
  title: 'A name that breaks the specification',
  why: 'A name has 1 to 64 lowercase letters and digits, with single hyphens between them. pi warns at each start, and other programs refuse the skill.',
  check: (context) => catalogFindings(context, 'name', ['name-type', 'name-length', 'name-format']),
});
