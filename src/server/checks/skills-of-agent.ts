import type { AgentContext } from './context.ts';
import type { SkillEntry, SkillFacts } from './snapshot.ts';

/** A skill of an agent that pi loads. */
export interface LoadedSkill {
  readonly entry: SkillEntry;
  readonly facts: SkillFacts & { readonly description: string };
}

/** The skills that pi finds in the agent's directory, in its order. Several may have one name. */
export const loadedSkills = ({ agent }: AgentContext): LoadedSkill[] =>
  agent.skills.flatMap((entry) => {
    const { facts, link } = entry;
    if (!facts || facts.description === undefined || link?.state === 'broken') return [];
    return [{ entry, facts: { ...facts, description: facts.description } }];
  });

/** The skills that pi shows to the model. */
export const usableSkills = (context: AgentContext): LoadedSkill[] =>
  loadedSkills(context).filter(({ facts }) => !facts.isHidden);
