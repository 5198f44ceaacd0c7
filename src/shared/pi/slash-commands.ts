/**
 * The slash commands of pi 1.5.2 itself, from its `interactive-mode.js` and built-in extensions. Its terminal looks for them
 * before it looks for a prompt template.
 */
export const PI_COMMANDS: ReadonlySet<string> = new Set([
  'bug',
  'changelog',
  'clone',
  'compact',
  'copy',
  'debug',
  'export',
  'fork',
  'hotkeys',
  'import',
  'llama',
  'login',
  'logout',
  'mcp',
  'model',
  'name',
  'new',
  'quit',
  'reload',
  'resume',
  'scoped-models',
  'session',
  'settings',
  'share',
  'thinking',
  'tree',
  'trust',
]);
