import { counted, listed, quoted } from '../../platform/words.ts';
import { aboutShown, aboutSkillTokens } from '../about-tokens.ts';
import { chosenTools } from '../chosen-tools.ts';
import { loadedSkills } from '../entries-of-agent.ts';
import { lastUse } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

const MAX_NAMES = 3;

export const userSkillsLeak = agentRule({
  id: 'user-skills-leak',
  severity: 'hint',
  topic: 'links',
  title: 'Skills from ~/.agents/skills',
  why: 'pi gives the skills in ~/.agents/skills to every agent, whatever its directory is. They cost tokens in each call, and the model may use them. With --no-skills, an agent gets only the skills that --skill names.',
  *check(context) {
    const { tools } = chosenTools(context);
    if (lastUse(context, '--no-skills') || !(tools.has('read') || tools.has('bash'))) return;
    const own = new Set(loadedSkills(context).map(({ facts }) => facts.name));
    const skills = context.facts.userSkills.filter(
      ({ name, description, isHidden }) => description !== undefined && !isHidden && !own.has(name),
    );
    if (skills.length === 0) return;
    const names = skills.slice(0, MAX_NAMES).map(({ name }) => quoted(name));
    const more = skills.length - names.length;
    yield {
      file: 'pi-args',
      message: `pi adds ${counted(skills.length, 'skill')} of ~/.agents/skills to this prompt, ${aboutShown(
        aboutSkillTokens(skills),
      )}: ${listed(more > 0 ? [...names, `${more} more`] : names)}. --no-skills and --skill keep them out.`,
    };
  },
});
