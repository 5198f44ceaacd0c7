import { quoted } from '../../platform/words.ts';
import { loadedSkills } from '../entries-of-agent.ts';
import { agentRule } from '../rule.ts';

export const skillShadowed = agentRule({
  id: 'skill-shadowed',
  severity: 'warning',
  topic: 'links',
  title: 'Two skills of one name',
  why: 'pi keeps the first skill of a name, in the order of the directory names, and warns at each start. The others are never used. Rename one of them in its SKILL.md.',
  *check(context) {
    const winners = new Map<string, { path: string; shared: string | undefined }>();
    for (const { entry, facts } of loadedSkills(context)) {
      const { path, link } = entry;
      const winner = winners.get(facts.name);
      if (!winner) {
        winners.set(facts.name, { path, shared: link?.shared });
        continue;
      }
      // pi takes two links to one skill for the same.
      if (winner.shared !== undefined && winner.shared === link?.shared) continue;
      yield {
        file: path,
        message: `pi never uses this skill, because ${winner.path} is called ${quoted(facts.name)} too. Rename one of them.`,
      };
    }
  },
});
