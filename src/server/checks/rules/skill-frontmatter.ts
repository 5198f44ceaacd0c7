import { skillRule } from '../rule.ts';

export const skillFrontmatter = skillRule({
  id: 'skill-frontmatter',
  severity: 'error',
  topic: 'skill',
  title: "Frontmatter that can't be read",
  why: 'A SKILL.md begins with YAML between two lines "---". pi does not load a skill whose frontmatter is missing or broken. A text with ": " or a leading special character needs quotes.',
  *check({ diagnostics, frontmatter, text }) {
    const [found] = diagnostics();
    const content = text();
    if (!found?.rule.startsWith('frontmatter') || !content) return;
    const at = frontmatter()?.errorAt;
    const [first] = content.lines;
    const place = at === undefined ? first : { start: at, end: Math.min(at + 1, content.text.length) };
    yield {
      file: 'SKILL.md',
      start: place?.start ?? 0,
      end: place?.end ?? 0,
      message: `${found.message} pi does not load this skill.`,
    };
  },
});
