import { skillRule } from '../rule.ts';
import { hasFields } from '../skill-fields.ts';

export const skillAllowedToolsCommas = skillRule({
  id: 'skill-allowed-tools-commas',
  severity: 'hint',
  topic: 'skill',
  title: 'Allowed tools with commas',
  why: 'The skill specification separates the names in "allowed-tools" with spaces. Some programs read a comma as part of a name. pi does not use this field.',
  *check(context) {
    const read = context.frontmatter();
    const place = read?.places.get('allowed-tools')?.value;
    const tools = read?.data['allowed-tools'];
    if (!hasFields(context) || !place || typeof tools !== 'string' || !/^[\w-]+(?:, *[\w-]+)+$/.test(tools))
      return;
    const text = context.text()?.text.slice(place.start, place.end) ?? '';
    yield {
      file: 'SKILL.md',
      ...place,
      message: 'Separate the names in "allowed-tools" with spaces, not with commas.',
      fix: {
        title: 'Replace the commas with spaces',
        safe: false,
        edits: Array.from(text.matchAll(/, */g), ({ 0: comma, index }) => ({
          start: place.start + index,
          end: place.start + index + comma.length,
          text: ' ',
        })),
      },
    };
  },
});
