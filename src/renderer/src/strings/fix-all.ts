import { list, many, number } from './words.ts';

interface Left {
  readonly count: number;
  readonly isLeast: boolean;
}

const problems = (count: number): string => many(count, 'problem', 'problems');
const agents = (count: number): string => many(count, 'agent', 'agents');

/** Strings for fixing several agents at once. */
export const fixAll = {
  title: 'Fix problems',
  find: 'dot-mi can apply all safe fixes. They don’t change what a file means.',
  checking: (done: number, all: number): string =>
    `Checking ${number.format(done)} of ${number.format(all)} agents…`,
  checkFailed: 'The agents weren’t checked',
  question: (fixes: number, count: number): string => `Fix ${problems(fixes)} in ${agents(count)}?`,
  body: 'Safe fixes don’t change what a file means. You can undo them all at once.',
  kinds: 'Fixes by kind',
  number: (count: number): string => number.format(count),
  staying: (count: number): string =>
    `${many(count, 'agent has', 'agents have')} problems that you have to fix yourself.`,
  nothing: 'No problem can be fixed automatically.',
  fix: (fixes: number): string => `Fix ${problems(fixes)}`,
  fixing: (done: number, all: number): string =>
    `Fixing ${number.format(done)} of ${number.format(all)} agents…`,
  done: (fixes: number, count: number): string =>
    fixes === 0 ? 'Nothing was fixed' : `Fixed ${problems(fixes)} in ${agents(count)}`,
  failed: 'The problems weren’t fixed',
  repair: (count: number): string => `Repair ${many(count, 'broken link', 'broken links')}`,
  repairHint: 'Each link will point to the shared entry with the same name.',
  remove: (count: number): string => `Remove ${many(count, 'broken link', 'broken links')}`,
  removeHint: 'Their targets don’t exist, and there’s no shared entry with the same name.',
  left: 'Fix these yourself:',
  leftLabel: 'Agents with problems that weren’t fixed',
  count: ({ count, isLeast }: Left): string => (isLeast ? `${problems(count)} or more` : problems(count)),
  unsavedFiles: (files: readonly string[]): string =>
    `${list.format(files)} ${files.length === 1 ? 'has' : 'have'} unsaved changes.`,
  more: (count: number): string => `and ${number.format(count)} more`,
  notFixed: 'Other fixes change the same text. Try again.',
} as const;
