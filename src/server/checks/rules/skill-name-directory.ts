import { skillRule } from '../rule.ts';

export const skillNameDirectory = skillRule({
  id: 'skill-name-directory',
  severity: 'warning',
  topic: 'skill',
  title: 'A name that differs from the directory',
  why: 'The skill specification wants the name of a skill to be the name of its directory. pi accepts another name since version 0.87, but other programs refuse the skill.',
  *check({ skill, diagnostics, frontmatter }) {
    for (const { rule, message } of diagnostics()) {
      const place = frontmatter()?.places.get('name')?.value;
      if (rule !== 'name-directory' || !place) continue;
      yield {
        file: 'SKILL.md',
        ...place,
        message,
        fix: {
          title: `Change the name to "${skill.name}"`,
          // The name is what the model reads, and another file may mention it.
          safe: false,
          edits: [{ ...place, text: skill.name }],
        },
      };
    }
  },
});
