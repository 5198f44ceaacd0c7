import { LINK_KINDS } from '../../../shared/api/names.ts';
import { counted, listed, quoted } from '../../platform/words.ts';
import { aboutShown, aboutSkillTokens } from '../about-tokens.ts';
import { chosenTools } from '../chosen-tools.ts';
import { foundSkills, ignoreFilesOf, loadedSkills } from '../entries-of-agent.ts';
import { lastUse } from '../pi-args-of-agent.ts';
import { agentRule, type Rule } from '../rule.ts';
import type { AgentSnapshot, FileEntry } from '../snapshot.ts';

const linkedEntries = (agent: AgentSnapshot): Pick<FileEntry, 'path' | 'link'>[] =>
  LINK_KINDS.flatMap((kind): readonly Pick<FileEntry, 'path' | 'link'>[] => agent[kind]);

const linkBroken = agentRule({
  id: 'link-broken',
  severity: 'error',
  topic: 'links',
  title: 'Link target doesn’t exist',
  why: 'pi skips a link whose target doesn’t exist, so the agent runs without what it points to. Put the target back, repair the link, or remove the link.',
  *check({ agent }) {
    for (const { path, link } of linkedEntries(agent)) {
      if (link?.state !== 'broken') continue;
      yield {
        file: path,
        message: `There is nothing at ${quoted(link.text)}, so pi skips this link. ${
          link.isRepairable
            ? 'Repair the link: "shared" has an entry with this name.'
            : 'Put the target back, or remove the link.'
        }`,
      };
    }
  },
});

const linkOutside = agentRule({
  id: 'link-outside',
  severity: 'warning',
  topic: 'links',
  title: 'Link points outside the root',
  why: 'pi follows the link, but dot-mi doesn’t, so it can’t check the target. The target will be missing on another computer, or in a copy of the root. Move it to "shared" in the root, then link to it there.',
  *check({ agent }) {
    for (const { path, link } of linkedEntries(agent)) {
      if (link?.state !== 'outside') continue;
      yield {
        file: path,
        message:
          'This link points outside the root, so dot-mi can’t check its target. Move the target into the root.',
      };
    }
  },
});

const skillShadowed = agentRule({
  id: 'skill-shadowed',
  severity: 'warning',
  topic: 'links',
  title: 'Two skills have the same name',
  why: 'If two skills have the same name, pi keeps the one whose directory name sorts first. It warns at each start, and never uses the other one. Change the name in one SKILL.md.',
  *check(context) {
    const winners = new Map<string, string>();
    const files = new Set<string>();
    for (const { entry, facts } of loadedSkills(context)) {
      const { path, file } = entry;
      // pi treats two links to one file as the same skill.
      if (file !== undefined && files.has(file)) continue;
      const winner = winners.get(facts.name);
      if (winner === undefined) {
        winners.set(facts.name, path);
        if (file !== undefined) files.add(file);
        continue;
      }
      yield {
        file: path,
        message: `pi never uses this skill, because ${winner} has the same name, ${quoted(facts.name)}. Change "name" in one of the two.`,
      };
    }
  },
});

const skillIgnored = agentRule({
  id: 'skill-ignored',
  severity: 'warning',
  topic: 'links',
  title: 'Skill is hidden by an ignore file',
  why: 'pi skips skills that match a .gitignore, .ignore or .fdignore in the skills directory, or in the skill’s own directory. So a rule meant for git can hide a skill. Add an exception such as "!name/", or move the rule elsewhere.',
  *check(context) {
    if (lastUse(context, '--no-skills')) return;
    const ignoredBy = ignoreFilesOf(context);
    for (const { entry, facts } of foundSkills(context)) {
      const files = ignoredBy(entry);
      if (files.length === 0) continue;
      yield {
        file: entry.path,
        message: `pi doesn’t load ${quoted(facts.name)}, because ${files.join(' or ')} matches it. Add an exception.`,
      };
    }
  },
});

const skillHidden = agentRule({
  id: 'skill-hidden',
  severity: 'hint',
  topic: 'links',
  title: 'Model doesn’t see this skill',
  why: '"disable-model-invocation: true" in SKILL.md keeps the skill out of the prompt. A person can still start it with /skill: and its name.',
  *check(context) {
    for (const { entry, facts } of loadedSkills(context)) {
      if (!facts.isHidden) continue;
      yield {
        file: entry.path,
        message: `The model doesn’t see the skill ${quoted(facts.name)}. A person can start it with /skill:${facts.name.slice(0, 64)}.`,
      };
    }
  },
});

const MAX_SHOWN_NAMES = 3;

const userSkillsLeak = agentRule({
  id: 'user-skills-leak',
  severity: 'hint',
  topic: 'links',
  title: 'Agent also loads the skills in ~/.agents/skills',
  why: 'pi gives the skills in ~/.agents/skills to every agent. They cost tokens in each call, and the model may use them. With --no-skills, an agent gets only the skills that you list with --skill.',
  *check(context) {
    const { tools } = chosenTools(context);
    if (lastUse(context, '--no-skills') || !(tools.has('read') || tools.has('bash'))) return;
    const own = new Set(loadedSkills(context).map(({ facts }) => facts.name));
    const skills = context.facts.userSkills.filter(
      ({ name, description, isHidden }) => description !== undefined && !isHidden && !own.has(name),
    );
    if (skills.length === 0) return;
    const names = skills.slice(0, MAX_SHOWN_NAMES).map(({ name }) => quoted(name));
    const more = skills.length - names.length;
    yield {
      file: 'pi-args',
      message: `pi adds ${counted(skills.length, 'skill')} from ~/.agents/skills to this prompt (${aboutShown(
        aboutSkillTokens(skills),
      )}): ${listed(more > 0 ? [...names, `${more} more`] : names)}. To keep them out, add --no-skills, and --skill for the skills that you want.`,
    };
  },
});

/** The rules for an agent's linked entries. */
export const linkRules: readonly Rule[] = [
  linkBroken,
  linkOutside,
  skillShadowed,
  skillIgnored,
  skillHidden,
  userSkillsLeak,
];
