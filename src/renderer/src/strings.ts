import * as agents from './strings/agents.ts';
import * as catalog from './strings/catalog.ts';
import * as common from './strings/common.ts';
import * as files from './strings/files.ts';
import * as links from './strings/links.ts';
import * as shell from './strings/shell.ts';
import * as trash from './strings/trash.ts';

/**
 * The texts of what is there from the start, a file a feature. Views that come later import theirs from `strings/` themselves, so that
 * they come with them. Sentences of the server are shown as they come.
 */
export const strings = {
  appName: 'dot-mi',
  title: (...parts: string[]): string => [...parts, 'dot-mi'].join(' – '),
  skipToMain: 'Skip to main content',
  ...common,
  ...agents,
  ...files,
  ...links,
  ...catalog,
  ...trash,
  ...shell,
} as const;
