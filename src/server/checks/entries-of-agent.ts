import { type IgnoreRules, ignoreRulesIn, isIgnored } from '../../pi/ignore-rules.ts';
import type { AgentContext } from './context.ts';
import type { ExtensionEntry, FileEntry, SkillEntry, SkillFacts } from './snapshot.ts';

/** One of an agent's skills that pi loads. */
interface LoadedSkill {
  readonly entry: SkillEntry;
  readonly facts: SkillFacts & { readonly description: string };
}

/** Returns whether pi-args has a flag. */
const has = (context: AgentContext, flag: string): boolean =>
  context.piArgs().some((use) => use.kind === 'flag' && use.flag.name === flag);

const SKILLS_FOLDER = 'skills/';

/** Returns the ignore files that keep pi from loading one of an agent's skills. */
export const ignoreFilesOf = ({ agent }: AgentContext): ((entry: SkillEntry) => readonly string[]) => {
  const files = agent.ignoreFiles
    .filter(({ path }) => path.startsWith(SKILLS_FOLDER))
    .map(({ path, text }) => {
      const folder = path.slice(SKILLS_FOLDER.length, path.lastIndexOf('/') + 1);
      return { path, rules: ignoreRulesIn(text, folder) };
    });
  if (files.length === 0) return () => [];
  const all = files.flatMap(({ rules }) => rules);
  return (entry) => {
    const path = entry.path.slice(SKILLS_FOLDER.length);
    // A single Markdown file is its own skill.
    const file = path.endsWith('.md') ? path : `${path}/SKILL.md`;
    const hides = (rules: IgnoreRules) => isIgnored(rules, file, false);
    if (!hides(all)) return [];
    return files.filter(({ rules }) => hides(rules)).map((one) => one.path);
  };
};

/** Returns the skills that pi finds in the agent's directory, in its order, even if flags or ignore files hide them. */
export const foundSkills = ({ agent }: AgentContext): LoadedSkill[] =>
  agent.skills.flatMap((entry) => {
    const { facts, link, isOff } = entry;
    if (!facts || facts.description === undefined || isOff || link?.state === 'broken') return [];
    return [{ entry, facts: { ...facts, description: facts.description } }];
  });

/** Returns the skills that pi loads unless `--no-skills` disables them. Names can repeat. */
export const linkedSkills = (context: AgentContext): LoadedSkill[] => {
  const ignoredBy = ignoreFilesOf(context);
  return foundSkills(context).filter(({ entry }) => ignoredBy(entry).length === 0);
};

/** Returns the skills that pi loads from the agent's directory. Names can repeat. */
export const loadedSkills = (context: AgentContext): LoadedSkill[] =>
  has(context, '--no-skills') ? [] : linkedSkills(context);

/** Returns the skills that pi shows to the model. */
export const usableSkills = (context: AgentContext): LoadedSkill[] =>
  loadedSkills(context).filter(({ facts }) => !facts.isHidden);

/** Returns the extensions that pi loads unless `--no-extensions` disables them. */
export const linkedExtensions = ({ agent }: AgentContext): ExtensionEntry[] =>
  agent.extensions.filter(({ link, isOff }) => link?.state !== 'broken' && !isOff);

/** Returns the extensions that pi can load from the agent's directory. */
export const loadedExtensions = (context: AgentContext): ExtensionEntry[] =>
  has(context, '--no-extensions') ? [] : linkedExtensions(context);

/** The flags that disable single-file entries. */
export const FILE_FLAGS = { prompts: '--no-prompt-templates', themes: '--no-themes' } as const;

/** Returns the files of a kind that pi loads unless a flag disables them, in its order. */
export const linkedFiles = ({ agent }: AgentContext, kind: keyof typeof FILE_FLAGS): FileEntry[] =>
  agent[kind].filter(
    ({ loadedAs, isOff, link }) => loadedAs !== undefined && !isOff && link?.state !== 'broken',
  );

/** Returns the files of a kind that pi loads from the agent's directory, in its order. */
export const loadedFiles = (context: AgentContext, kind: keyof typeof FILE_FLAGS): FileEntry[] =>
  has(context, FILE_FLAGS[kind]) ? [] : linkedFiles(context, kind);
