import { list, many } from './words.ts';

/** Strings for the checks. */
export const checks = {
  /** Returns counts in words, such as "1 error, 3 warnings and 1 hint". */
  counts: ({ errors, warnings, hints }: Record<'errors' | 'warnings' | 'hints', number>): string =>
    list.format([
      ...(errors > 0 ? [many(errors, 'error', 'errors')] : []),
      ...(warnings > 0 ? [many(warnings, 'warning', 'warnings')] : []),
      ...(hints > 0 ? [many(hints, 'hint', 'hints')] : []),
    ]),
  severity: { error: 'Error', warning: 'Warning', hint: 'Hint' },
  list: (file: string): string => `Problems in ${file}`,
  open: (file: string): string => `Open ${file}`,
  line: (line: number): string => `Line ${line}`,
  why: 'Why?',
  whyLabel: (title: string): string => `Why? ${title}`,
  fixSafe: (count: number): string => `Apply ${many(count, 'safe fix', 'safe fixes')}`,
  fixSafeHint: 'Safe fixes don’t change what a file means.',
  unsaved: (file: string): string =>
    `${file} has unsaved changes. Save or revert them, then fix the problem here. You can also fix it in the editor.`,
  fixed: (count: number): string => `Fixed ${many(count, 'problem', 'problems')}`,
  notFixed: (count: number): string =>
    `${many(count, 'problem was', 'problems were')} not fixed, because other fixes change the same text. Try again.`,
  fixFailed: 'Nothing was fixed',
  none: 'No problems found',
  noneHint: 'dot-mi checked this agent’s files, links and local skills.',
  truncated:
    'There may be more problems. dot-mi lists at most 500, and doesn’t check all of a very large file or folder.',
  linkedSkills: 'Linked skills',
  linkedSkillsHint: 'Shared skills with problems. Fixing a skill helps every agent that links to it.',
  gone: 'The text has changed. Fix it by hand.',
} as const;
