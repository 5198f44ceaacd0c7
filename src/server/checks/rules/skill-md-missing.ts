import { skillRule } from '../rule.ts';

/** Why a SKILL.md isn't read. */
const PROBLEMS = {
  'not-a-file': 'is not a regular file',
  'too-large': 'is larger than 2 MiB',
  'not-text': 'is not UTF-8 text',
  outside: 'is a link to a place outside the root',
  unreadable: "can't be read",
} as const;

export const skillMdMissing = skillRule({
  id: 'skill-md-missing',
  severity: 'error',
  topic: 'skill',
  title: 'A skill without a readable SKILL.md',
  why: 'A directory is a skill because of its SKILL.md. Without a readable one, pi loads nothing. Directories that only group skills are fine.',
  *check({ skill }) {
    const { file, paths } = skill;
    if (file.kind === 'text') return;
    if (file.kind === 'missing' && paths.some((path) => path.endsWith('/SKILL.md'))) return;
    yield {
      file: 'SKILL.md',
      message:
        file.kind === 'missing'
          ? 'The directory has no SKILL.md, so pi finds no skill in it. Add the file, or remove the directory.'
          : `SKILL.md ${PROBLEMS[file.problem]}, so dot-mi can't check it. Replace it with a text file.`,
    };
  },
});
