import * as agents from './strings/agents.ts';
import * as common from './strings/common.ts';
import * as files from './strings/files.ts';
import * as shell from './strings/shell.ts';

/**
 * The texts that are needed from the start, one file per feature. Views that load later import theirs from
 * `strings/` themselves, so that both load together. Sentences from the server are shown unchanged.
 */
export const strings = {
  appName: 'dot-mi',
  title: (...parts: string[]): string => [...parts, 'dot-mi'].join(' – '),
  skipToMain: 'Skip to main content',
  ...common,
  ...agents,
  ...files,
  ...shell,
} as const;
