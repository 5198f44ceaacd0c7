/**
 * pi 1.6.0's own slash commands, from its `interactive-mode.js` and built-in extensions. pi looks for them before
 * prompt templates.
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
