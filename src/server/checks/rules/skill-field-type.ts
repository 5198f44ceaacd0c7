import type { JsonValue } from '../../catalog/frontmatter.ts';
import { skillRule } from '../rule.ts';
import { hasFields, placeOfField } from '../skill-fields.ts';

const MAX_COMPATIBILITY = 500;

const isPlain = (value: JsonValue): boolean => typeof value !== 'object' || value === null;

/** What is wrong with the value of a field, or undefined. */
const PROBLEMS: Readonly<Record<string, (value: JsonValue) => string | undefined>> = {
  license: (value) => (typeof value === 'string' ? undefined : 'must be a text. Put it in quotes'),
  compatibility: (value) =>
    typeof value === 'string' && value.length >= 1 && value.length <= MAX_COMPATIBILITY
      ? undefined
      : `must be a text of 1 to ${MAX_COMPATIBILITY} characters`,
  metadata: (value) =>
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.values(value).every(isPlain)
      ? undefined
      : 'must be a list of "key: text" lines, with no lists or keys inside',
  'allowed-tools': (value) =>
    typeof value === 'string' || (Array.isArray(value) && value.every((tool) => typeof tool === 'string'))
      ? undefined
      : 'must be a text with the names of tools, separated by spaces',
  'disable-model-invocation': (value) =>
    typeof value === 'boolean'
      ? undefined
      : 'must be true or false, without quotes. pi ignores anything else',
};

export const skillFieldType = skillRule({
  id: 'skill-field-type',
  severity: 'warning',
  topic: 'skill',
  title: 'A field with a wrong value',
  why: 'The skill specification says which values the optional fields of SKILL.md may have. pi ignores most of them, but other programs refuse the skill.',
  *check(context) {
    if (!hasFields(context)) return;
    for (const [key, value] of Object.entries(context.frontmatter()?.data ?? {})) {
      const problem = Object.hasOwn(PROBLEMS, key) ? PROBLEMS[key]?.(value) : undefined;
      if (problem === undefined) continue;
      yield { file: 'SKILL.md', ...placeOfField(context, key), message: `"${key}" ${problem}.` };
    }
  },
});
