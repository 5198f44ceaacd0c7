import { counted } from '../../platform/words.ts';
import { chosenTools } from '../chosen-tools.ts';
import { usableSkills } from '../entries-of-agent.ts';
import { lastUse } from '../pi-args-rules.ts';
import { agentRule } from '../rule.ts';

export const skillsUnreadable = agentRule({
  id: 'skills-unreadable',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Skills without a tool that reads them',
  why: 'The model reads a skill with the tool "read" or "bash". Without both, pi leaves the skills out of the prompt. pi 0.73 needs "read".',
  *check(context) {
    const skills = usableSkills(context);
    const { tools, place } = chosenTools(context);
    if (skills.length === 0 || lastUse(context, '--no-skills') || !place) return;
    if (tools.has('read') || tools.has('bash')) return;
    yield {
      ...place,
      message: `This agent has ${counted(skills.length, 'skill')}, but neither "read" nor "bash" to read them. Add "read", or unlink the skills.`,
    };
  },
});
