import { skillRule } from '../rule.ts';
import { catalogFindings } from '../skill-fields.ts';

export const skillDescriptionMissing = skillRule({
  id: 'skill-description-missing',
  severity: 'error',
  topic: 'skill',
  title: 'A skill without a description',
  why: 'The description is all that the model sees of a skill before it reads it. pi does not load a skill without one.',
  check: (context) => catalogFindings(context, 'description', ['description-missing']),
});
