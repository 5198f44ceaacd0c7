import type { Rule } from '../rule.ts';
import { linkedFileRules } from './linked-files.ts';
import { linkRules } from './links.ts';
import { mcpRules } from './mcp.ts';
import { modelAndSettingsRules } from './models-and-settings.ts';
import { packageRules } from './packages.ts';
import { piArgsRules } from './pi-args.ts';
import { promptFileRules } from './prompt-files.ts';
import { securityRules } from './security.ts';
import { skillRules } from './skills.ts';

/** All rules, in the order of docs/checks.md within each topic. */
export const rules: readonly Rule[] = [
  ...piArgsRules,
  ...promptFileRules,
  ...modelAndSettingsRules,
  ...packageRules,
  ...mcpRules,
  ...linkRules,
  ...linkedFileRules,
  ...skillRules,
  ...securityRules,
];
