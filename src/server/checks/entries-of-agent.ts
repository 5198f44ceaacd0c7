import type { AgentContext } from './context.ts';
import type { AgentSnapshot, ExtensionEntry, SkillEntry, SkillFacts } from './snapshot.ts';

/** One of an agent's skills that pi loads. */
interface LoadedSkill {
  readonly entry: SkillEntry;
  readonly facts: SkillFacts & { readonly description: string };
}

/** Returns the skills that pi finds in the agent's directory, in pi's order. Names can repeat. */
export const loadedSkills = ({ agent }: AgentContext): LoadedSkill[] =>
  agent.skills.flatMap((entry) => {
    const { facts, link, isOff } = entry;
    if (!facts || facts.description === undefined || isOff || link?.state === 'broken') return [];
    return [{ entry, facts: { ...facts, description: facts.description } }];
  });

/** Returns the skills that pi shows to the model. */
export const usableSkills = (context: AgentContext): LoadedSkill[] =>
  loadedSkills(context).filter(({ facts }) => !facts.isHidden);

/** Returns the extensions in an agent's directory that pi can load. */
export const loadedExtensions = ({ extensions }: AgentSnapshot): ExtensionEntry[] =>
  extensions.filter(({ link, isOff }) => link?.state !== 'broken' && !isOff);
