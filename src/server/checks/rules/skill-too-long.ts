import { aboutShown, aboutTokens } from '../about-tokens.ts';
import { skillRule } from '../rule.ts';

const MAX_LINES = 500;
const MAX_TOKENS = 5_000;

export const skillTooLong = skillRule({
  id: 'skill-too-long',
  severity: 'hint',
  topic: 'skill',
  title: 'A long SKILL.md',
  why: 'The model reads the whole SKILL.md when it uses a skill. The specification advises fewer than 500 lines and 5,000 tokens. Move parts into files next to it, and say in SKILL.md when to read them.',
  *check({ skill: { file }, frontmatter }) {
    if (file.kind !== 'text') return;
    const bodyStart = frontmatter()?.bodyStart ?? 0;
    const body = file.text.slice(bodyStart).trimEnd();
    const lines = body.split('\n').length;
    const tokens = aboutTokens(body);
    if (lines <= MAX_LINES && tokens <= MAX_TOKENS) return;
    const size = lines > MAX_LINES ? `${lines.toLocaleString('en-US')} lines` : aboutShown(tokens);
    yield {
      file: 'SKILL.md',
      message: `SKILL.md has ${size}. Move parts into other files that the model reads only when needed.`,
    };
  },
});
