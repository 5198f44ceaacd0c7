import { forKinds } from './link-kinds.ts';
import { many, number } from './words.ts';

/** Strings for the catalog. */
export const catalog = {
  heading: 'Catalog',
  description: 'Shared entries that agents can link to.',
  kinds: 'Kinds of shared entries',
  matrix: 'Matrix of agents',
  addSkill: 'Add the dot-mi skill',
  skillAdded: 'Added the skill dot-mi',
  addSkillFailed: 'The skill wasn’t added',
  search: forKinds((plural) => `Search ${plural}`),
  none: forKinds((plural) => `No shared ${plural} yet`),
  noneHint: {
    extensions: 'Put a file or folder in the root’s shared/extensions.',
    skills: 'Put a folder with a SKILL.md in the root’s shared/skills.',
    prompts: 'Put a Markdown file in the root’s shared/prompts. Its name is the slash command.',
    themes: 'Put a JSON file with pi’s colors in the root’s shared/themes.',
  },
  noDescription: 'No description',
  problemsHeading: 'Problems',
  fileText: 'Text of the file',
  noInstructions: 'This file has no text below its frontmatter.',
  isCut: 'Only the first 100,000 characters are shown.',
  notFound: (name: string): string => `The catalog has no “${name}”`,
  all: forKinds((plural) => `All ${plural}`),
  users: (count: number): string => many(count, 'agent', 'agents'),
  usedBy: 'Used by',
  usedByLabel: (name: string): string => `Agents that use ${name}`,
  usedByNone: 'Not used by any agent',
  showAll: (count: number): string => `all ${number.format(count)}`,
  showAllLabel: (name: string, count: number): string =>
    `Show all ${many(count, 'agent', 'agents')} that use ${name}`,
  usedByTitle: (name: string): string => `Agents that use ${name}`,
  usedByCount: (count: number): string => many(count, 'agent', 'agents'),
  searchUsers: 'Search these agents',
  kind: { file: 'file', dir: 'folder' },
  command: (command: string, hint: string | undefined): string =>
    [`/${command}`, hint].filter(Boolean).join(' '),
  problems: (errors: number, warnings: number): string =>
    [errors > 0 && many(errors, 'error', 'errors'), warnings > 0 && many(warnings, 'warning', 'warnings')]
      .filter(Boolean)
      .join(', '),
  withErrors: 'With errors',
  noErrors: 'No errors',
  severity: { error: 'Error', warning: 'Warning', hint: 'Hint' },
  atLine: (line: number): string => `Line ${line}:`,
} as const;
