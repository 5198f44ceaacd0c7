// Apart from the prompt, because the checks and the files view need the names too.
import type { PiVersion } from './flags.ts';

const CONTEXT_FILES = ['AGENTS.md', 'AGENTS.MD', 'CLAUDE.md', 'CLAUDE.MD'] as const;

/**
 * The names of context files. pi reads the first that a directory has: of the agent's directory first, then
 * of every directory from the top of the disk down to the working directory. `-nc` turns them off.
 */
export const contextFileNames = (version: PiVersion): readonly string[] =>
  version === '0.73' ? CONTEXT_FILES : ['AGENTS.override.md', ...CONTEXT_FILES];
