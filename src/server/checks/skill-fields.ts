import type { TextRange } from './checked-text.ts';
import type { SkillContext } from './context.ts';
import type { RuleFinding } from './rule.ts';

/** The place of a field's value in SKILL.md, of its key if it has no value, or of the first line. */
export const placeOfField = ({ frontmatter, text }: SkillContext, key: string): TextRange => {
  const place = frontmatter()?.places.get(key);
  if (place) return place.value.end > place.value.start ? place.value : place.key;
  const [first] = text()?.lines ?? [];
  return { start: first?.start ?? 0, end: first?.end ?? 0 };
};

/** What the catalog reports about a field, as findings at the field. */
export function* catalogFindings(
  context: SkillContext,
  key: string,
  catalogRules: readonly string[],
): Generator<RuleFinding> {
  for (const { rule, message } of context.diagnostics()) {
    if (catalogRules.includes(rule)) yield { file: 'SKILL.md', ...placeOfField(context, key), message };
  }
}

/** Whether the frontmatter could be read, so that rules about its fields apply. */
export const hasFields = ({ frontmatter }: SkillContext): boolean => {
  const read = frontmatter();
  return read !== undefined && read.diagnostics.length === 0;
};
