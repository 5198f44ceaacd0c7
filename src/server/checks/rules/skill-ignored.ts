import { ignoreRulesIn, isIgnored } from '../../../shared/pi/ignore-rules.ts';
import { quoted } from '../../platform/words.ts';
import { loadedSkills } from '../entries-of-agent.ts';
import { agentRule } from '../rule.ts';

const TOP = 'skills/';

export const skillIgnored = agentRule({
  id: 'skill-ignored',
  severity: 'warning',
  topic: 'links',
  title: 'A skill that an ignore file hides',
  why: 'pi skips the skills that a .gitignore, .ignore or .fdignore in the folder of skills matches. A rule for git can hide a skill this way. Add an exception such as "!name/", or move the rule elsewhere.',
  *check(context) {
    const files = context.agent.ignoreFiles.map(({ path, text }) => {
      const folder = path.slice(TOP.length, path.lastIndexOf('/') + 1);
      return { path, rules: ignoreRulesIn(text, folder) };
    });
    if (files.length === 0) return;
    const all = files.flatMap(({ rules }) => rules);
    for (const { entry, facts } of loadedSkills(context)) {
      const path = entry.path.slice(TOP.length);
      // A loose Markdown file is a skill of its own.
      const isFile = path.endsWith('.md');
      const isHidden =
        isIgnored(all, path, !isFile) || (!isFile && isIgnored(all, `${path}/SKILL.md`, false));
      if (!isHidden) continue;
      yield {
        file: entry.path,
        message: `pi does not load ${quoted(facts.name)}, because ${files.map((one) => one.path).join(' or ')} matches it. Add an exception.`,
      };
    }
  },
});
