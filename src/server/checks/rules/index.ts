import type { Rule } from '../rule.ts';
import { agentMdIgnoredKey } from './agent-md-ignored-key.ts';
import { agentMdUnread } from './agent-md-unread.ts';
import { fileUnreadable } from './file-unreadable.ts';
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
import { providerRenamed } from './provider-renamed.ts';
import { secretInFile } from './secret-in-file.ts';
import { securityEncodedCommand } from './security-encoded-command.ts';
import { securityHiddenText } from './security-hidden-text.ts';
import { securityKeyFiles } from './security-key-files.ts';
import { securityOverride } from './security-override.ts';
import { securityPipeToShell } from './security-pipe-to-shell.ts';
import { securityWritesOutside } from './security-writes-outside.ts';
import { settingsJsonSyntax } from './settings-json-syntax.ts';
import { settingsJsonValue } from './settings-json-value.ts';
import { skillAllowedToolsCommas } from './skill-allowed-tools-commas.ts';
import { skillDescriptionLength } from './skill-description-length.ts';
import { skillDescriptionMissing } from './skill-description-missing.ts';
import { skillDescriptionWhen } from './skill-description-when.ts';
import { skillFieldType } from './skill-field-type.ts';
import { skillFrontmatter } from './skill-frontmatter.ts';
import { skillHidden } from './skill-hidden.ts';
import { skillIgnored } from './skill-ignored.ts';
import { skillKeyUnknown } from './skill-key-unknown.ts';
import { skillMdMissing } from './skill-md-missing.ts';
import { skillNameDirectory } from './skill-name-directory.ts';
import { skillNameFormat } from './skill-name-format.ts';
import { skillNameMissing } from './skill-name-missing.ts';
import { skillReferenceBroken } from './skill-reference-broken.ts';
import { skillSecret } from './skill-secret.ts';
import { skillShadowed } from './skill-shadowed.ts';
import { skillTooLong } from './skill-too-long.ts';
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
  fileUnreadable,
  systemMdEmpty,
  promptShadowed,
  promptTooLarge,
  agentMdUnread,
  agentMdIgnoredKey,
  toolUnknown,
  modelUnknown,
  modelNoPrice,
  providerRenamed,
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
  skillIgnored,
  skillHidden,
  userSkillsLeak,
  skillMdMissing,
  skillFrontmatter,
  skillDescriptionMissing,
  skillDescriptionLength,
  skillDescriptionWhen,
  skillNameMissing,
  skillNameFormat,
  skillNameDirectory,
  skillFieldType,
  skillAllowedToolsCommas,
  skillKeyUnknown,
  skillTooLong,
  skillReferenceBroken,
  securityPipeToShell,
  securityEncodedCommand,
  securityHiddenText,
  securityOverride,
  securityKeyFiles,
  securityWritesOutside,
  skillSecret,
];
