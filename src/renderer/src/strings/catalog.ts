import { many, number } from './words.ts';

/** Texts of the catalog. */
export const catalog = {
  heading: 'Catalog',
  description: 'Shared skills and extensions that agents can link to.',
  kinds: 'Kinds of shared entries',
  matrix: 'Matrix of agents',
  addSkill: 'Add the dot-mi skill',
  skillAdded: 'Added “dot-mi”. Link it to agents that use the API.',
  addSkillFailed: 'The skill was not added',
  removeSkillFailed: 'The skill was not removed',
  skills: 'Skills',
  extensions: 'Extensions',
  search: { extensions: 'Search extensions', skills: 'Search skills' },
  none: { extensions: 'No shared extensions yet', skills: 'No shared skills yet' },
  noneHint: {
    extensions: 'Put a file or folder in the root’s shared/extensions.',
    skills: 'Put a folder with a SKILL.md in the root’s shared/skills.',
  },
  noDescription: 'No description',
  problemsHeading: 'Problems',
  skillFile: 'SKILL.md',
  noInstructions: 'This SKILL.md has no instructions below its frontmatter.',
  isCut: 'Only the first 100,000 characters are shown.',
  notFound: (name: string): string => `The catalog has no “${name}”`,
  pick: { extensions: 'Choose an extension', skills: 'Choose a skill' },
  all: { extensions: 'All extensions', skills: 'All skills' },
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
  problems: (errors: number, warnings: number): string =>
    [errors > 0 && many(errors, 'error', 'errors'), warnings > 0 && many(warnings, 'warning', 'warnings')]
      .filter(Boolean)
      .join(', '),
  withErrors: 'With errors',
  noErrors: 'No errors',
  severity: { error: 'Error', warning: 'Warning', hint: 'Hint' },
  atLine: (line: number): string => `Line ${line}:`,
} as const;
