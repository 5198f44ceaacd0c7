import { KNOWN_KEYS } from '../../catalog/skill-rules.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import { listed, quoted } from '../../platform/words.ts';
import { skillRule } from '../rule.ts';
import { hasFields } from '../skill-fields.ts';

export const skillKeyUnknown = skillRule({
  id: 'skill-key-unknown',
  severity: 'hint',
  topic: 'skill',
  title: 'A key that is not in the specification',
  why: `The skill specification knows ${listed(KNOWN_KEYS.slice(0, -1))}, and pi also ${KNOWN_KEYS.at(-1)}. pi ignores other keys, but the validator of the specification refuses them. Put your own under "metadata".`,
  *check(context) {
    if (!hasFields(context)) return;
    for (const [key, place] of context.frontmatter()?.places ?? []) {
      if (KNOWN_KEYS.includes(key)) continue;
      const near = nearestName(key, KNOWN_KEYS);
      yield {
        file: 'SKILL.md',
        ...place.key,
        message: near
          ? `pi ignores ${quoted(key)}. Did you mean "${near}"?`
          : `${quoted(key)} is not in the skill specification, and pi ignores it. Put it under "metadata".`,
        ...(near
          ? { fix: { title: `Change it to "${near}"`, safe: false, edits: [{ ...place.key, text: near }] } }
          : {}),
      };
    }
  },
});
