import type { Rule } from '../rule.ts';
import { agentMdIgnoredKey } from './agent-md-ignored-key.ts';
import { agentMdUnread } from './agent-md-unread.ts';
import { linkBroken } from './link-broken.ts';
import { linkOutside } from './link-outside.ts';
import { modelNoPrice } from './model-no-price.ts';
import { modelUnknown } from './model-unknown.ts';
import { modelsJsonEnvName } from './models-json-env-name.ts';
import { modelsJsonSyntax } from './models-json-syntax.ts';
import { modelsJsonValue } from './models-json-value.ts';
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
import { promptShadowed } from './prompt-shadowed.ts';
import { promptTooLarge } from './prompt-too-large.ts';
import { providerNoCost } from './provider-no-cost.ts';
import { secretInFile } from './secret-in-file.ts';
import { settingsJsonSyntax } from './settings-json-syntax.ts';
import { settingsJsonValue } from './settings-json-value.ts';
import { skillHidden } from './skill-hidden.ts';
import { skillNameDirectory } from './skill-name-directory.ts';
import { skillShadowed } from './skill-shadowed.ts';
import { skillsSwitchedOff } from './skills-switched-off.ts';
import { skillsUnreadable } from './skills-unreadable.ts';
import { systemMdEmpty } from './system-md-empty.ts';
import { toolUnknown } from './tool-unknown.ts';
import { userSkillsLeak } from './user-skills-leak.ts';
import { workspaceConfPath } from './workspace-conf-path.ts';

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
  systemMdEmpty,
  promptShadowed,
  promptTooLarge,
  agentMdUnread,
  agentMdIgnoredKey,
  toolUnknown,
  modelUnknown,
  modelNoPrice,
  workspaceConfPath,
  settingsJsonSyntax,
  settingsJsonValue,
  modelsJsonSyntax,
  modelsJsonValue,
  modelsJsonEnvName,
  providerNoCost,
  secretInFile,
  linkBroken,
  linkOutside,
  skillShadowed,
  skillHidden,
  userSkillsLeak,
  skillNameDirectory,
];
