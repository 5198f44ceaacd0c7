import { skillRule } from '../rule.ts';
import { catalogFindings } from '../skill-fields.ts';

const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const skillNameMissing = skillRule({
  id: 'skill-name-missing',
  severity: 'warning',
  topic: 'skill',
  title: 'A skill without a name',
  why: 'The skill specification requires "name". pi uses the name of the directory instead, but other programs refuse the skill.',
  *check(context) {
    const { skill, text, frontmatter } = context;
    const second = text()?.lines[1];
    for (const finding of catalogFindings(context, 'name', ['name-missing'])) {
      const canAdd = second && !frontmatter()?.places.has('name') && SKILL_NAME.test(skill.name);
      yield canAdd
        ? {
            ...finding,
            fix: {
              title: `Add the name "${skill.name}"`,
              // pi uses this name already.
              safe: true,
              edits: [{ start: second.start, end: second.start, text: `name: ${skill.name}\n` }],
            },
          }
        : finding;
    }
  },
});
