import type { Rule } from '../rule.ts';
import { agentMdUnread } from './agent-md-unread.ts';
import { piArgsApprove } from './pi-args-approve.ts';
import { piArgsBadValue } from './pi-args-bad-value.ts';
import { piArgsComment } from './pi-args-comment.ts';
import { piArgsEqualsSign } from './pi-args-equals-sign.ts';
import { piArgsEveryRun } from './pi-args-every-run.ts';
import { piArgsGlob } from './pi-args-glob.ts';
import { piArgsMissingValue } from './pi-args-missing-value.ts';
import { piArgsNoSession } from './pi-args-no-session.ts';
import { piArgsSecret } from './pi-args-secret.ts';
import { piArgsSeveralTokens } from './pi-args-several-tokens.ts';
import { piArgsSpaces } from './pi-args-spaces.ts';
import { piArgsUnknownFlag } from './pi-args-unknown-flag.ts';
import { skillNameDirectory } from './skill-name-directory.ts';
import { skillsSwitchedOff } from './skills-switched-off.ts';
import { skillsUnreadable } from './skills-unreadable.ts';

/** Every rule, in the order of docs/checks.md within its topic. */
export const rules: readonly Rule[] = [
  piArgsUnknownFlag,
  piArgsEqualsSign,
  piArgsMissingValue,
  piArgsBadValue,
  piArgsComment,
  piArgsSeveralTokens,
  piArgsSpaces,
  piArgsGlob,
  piArgsSecret,
  piArgsEveryRun,
  piArgsApprove,
  piArgsNoSession,
  skillsUnreadable,
  skillsSwitchedOff,
  agentMdUnread,
  skillNameDirectory,
];
