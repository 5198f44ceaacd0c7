import type { AgentContext } from './context.ts';
import type { AgentSnapshot, ExtensionEntry, SkillEntry, SkillFacts } from './snapshot.ts';

/** A skill of an agent that pi loads. */
interface LoadedSkill {
  readonly entry: SkillEntry;
  readonly facts: SkillFacts & { readonly description: string };
}

/** The skills that pi finds in the agent's directory, in its order. Several may have one name. */
export const loadedSkills = ({ agent }: AgentContext): LoadedSkill[] =>
  agent.skills.flatMap((entry) => {
    const { facts, link, isOff } = entry;
    if (!facts || facts.description === undefined || isOff || link?.state === 'broken') return [];
    return [{ entry, facts: { ...facts, description: facts.description } }];
  });

/** The skills that pi shows to the model. */
export const usableSkills = (context: AgentContext): LoadedSkill[] =>
  loadedSkills(context).filter(({ facts }) => !facts.isHidden);

/** The extensions of an agent's directory that pi can load. */
export const loadedExtensions = ({ extensions }: AgentSnapshot): ExtensionEntry[] =>
  extensions.filter(({ link, isOff }) => link?.state !== 'broken' && !isOff);
