/** What `git` would throw away that no commit holds. */
import { ask, type Verdict } from './verdict.ts';
import { dropOptions, hasFlag, operands } from './wrappers.ts';

const GLOBAL_OPTIONS = { short: 'Cc', long: 'git-dir work-tree namespace exec-path config-env super-prefix' };
const LOSES_CHANGES = ask('it throws uncommitted changes away');

export function judgeGit(args: string[]): Verdict | undefined {
  const [subcommand, ...rest] = dropOptions(args, GLOBAL_OPTIONS);
  const isForced = hasFlag(rest, 'f', '--force');
  switch (subcommand) {
    case 'reset':
      return rest.includes('--hard') ? LOSES_CHANGES : undefined;
    case 'clean':
      return isForced && !hasFlag(rest, 'n', '--dry-run')
        ? ask('it deletes files git does not know')
        : undefined;
    case 'checkout':
      // Without "--" a word may be a branch, and git itself refuses to lose changes then.
      return isForced || rest.includes('.') || rest.slice(0, -1).includes('--') ? LOSES_CHANGES : undefined;
    case 'switch':
      return isForced || rest.includes('--discard-changes') ? LOSES_CHANGES : undefined;
    case 'restore': {
      // "restore --staged" only takes files out of the index.
      const keepsFiles = hasFlag(rest, 'S', '--staged') && !hasFlag(rest, 'W', '--worktree');
      return keepsFiles || operands(rest).length === 0 ? undefined : LOSES_CHANGES;
    }
    case 'branch': {
      const deletes = hasFlag(rest, 'd', '--delete');
      return hasFlag(rest, 'D') || (deletes && isForced)
        ? ask('it deletes a branch that may not be merged')
        : undefined;
    }
    case 'stash':
      return /^(drop|clear)$/.test(rest[0] ?? '') ? ask('it throws stashed changes away') : undefined;
    case 'push': {
      const rewrites = rest.some((arg) => /^(--mirror|--delete|-d|--prune)$/.test(arg) || /^[+:]./.test(arg));
      return isForced || rewrites ? ask('it rewrites or deletes branches of the remote') : undefined;
    }
    default:
      return undefined;
  }
}
