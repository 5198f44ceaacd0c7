import type { Rule } from '../rule.ts';
import { agentMdUnread } from './agent-md-unread.ts';
import { piArgsSeveralTokens } from './pi-args-several-tokens.ts';
import { skillNameDirectory } from './skill-name-directory.ts';

/** Every rule, in the order of docs/checks.md within its topic. */
export const rules: readonly Rule[] = [piArgsSeveralTokens, agentMdUnread, skillNameDirectory];
