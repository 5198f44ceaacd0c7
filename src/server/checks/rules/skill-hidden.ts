import { quoted } from '../../platform/words.ts';
import { loadedSkills } from '../entries-of-agent.ts';
import { agentRule } from '../rule.ts';

export const skillHidden = agentRule({
  id: 'skill-hidden',
  severity: 'hint',
  topic: 'links',
  title: 'A skill that the model does not see',
  why: 'With "disable-model-invocation: true" in its SKILL.md, a skill is not in the prompt. It is used only if a person types /skill: and its name.',
  *check(context) {
    for (const { entry, facts } of loadedSkills(context)) {
      if (!facts.isHidden) continue;
      yield {
        file: entry.path,
        message: `The model doesn't see the skill ${quoted(facts.name)}. A person can start it with /skill:${facts.name.slice(0, 64)}.`,
      };
    }
  },
});
