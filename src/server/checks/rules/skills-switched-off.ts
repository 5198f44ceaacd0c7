import { counted } from '../../platform/words.ts';
import { usableSkills } from '../entries-of-agent.ts';
import { lastUse, rangeOfArg } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

export const skillsSwitchedOff = agentRule({
  id: 'skills-switched-off',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Linked skills with --no-skills',
  why: 'With --no-skills, pi loads no skill of the agent, so the linked ones have no effect. Remove the flag, or unlink the skills.',
  *check(context) {
    const use = lastUse(context, '--no-skills');
    const skills = usableSkills(context);
    if (!use || skills.length === 0) return;
    yield {
      file: 'pi-args',
      ...rangeOfArg(use.arg),
      message: `This agent has ${counted(skills.length, 'skill')}, but ${use.arg.text} switches skills off. Remove the flag, or unlink the skills.`,
    };
  },
});
