import { skillRule } from '../rule.ts';
import { catalogFindings } from '../skill-fields.ts';

export const skillDescriptionLength = skillRule({
  id: 'skill-description-length',
  severity: 'warning',
  topic: 'skill',
  title: 'A description that is too long',
  why: 'A description has at most 1,024 characters. It is part of the prompt of each agent with this skill, so each character costs tokens in each call. Move details into the text of the skill.',
  check: (context) => catalogFindings(context, 'description', ['description-length']),
});
