import { join } from 'node:path';
import { type ExtensionCalls, extensionCalls } from '../../../pi/extension-calls.ts';
import type { Inside } from '../../platform/resolves-outside.ts';
import type { PathRecord } from '../../root-model/path-record.ts';
import { listFolder } from '../../root-model/reader.ts';
import { type ReadBudget, readRecorded } from './read-file.ts';

/** How deep to read. The watch has the same depth, and package.json's entries are rarely deeper. */
const MAX_DEPTH = 3;

/** The result for code that can't be read. */
export const UNKNOWN_CALLS: ExtensionCalls = { flags: [], tools: [], providers: [], isComplete: false };

const isModule = (name: string) => /\.[cm]?[jt]s$/.test(name);
const isSource = (name: string) => name !== 'node_modules' && !name.startsWith('.');

/** Reads the names that an extension's code registers. Blocks. Never runs the code. */
export const readExtensionCalls = (
  path: string,
  { record, budget, inside }: { record: PathRecord; budget: ReadBudget; inside: Inside },
): ExtensionCalls => {
  const all: ExtensionCalls[] = [];
  const read = (file: string) => {
    const state = readRecorded(file, record, budget, inside);
    all.push(state.kind === 'text' ? extensionCalls(state.text) : UNKNOWN_CALLS);
  };
  const walk = (directory: string, depth: number): void => {
    for (const entry of listFolder(directory, record, inside)) {
      if (--budget.entries < 0) {
        all.push(UNKNOWN_CALLS);
        return;
      }
      const below = join(directory, entry.name);
      if (entry.isDirectory() && isSource(entry.name) && depth < MAX_DEPTH) walk(below, depth + 1);
      // SECURITY: don't follow links, which may point outside the root or form a cycle.
      else if (entry.isSymbolicLink()) all.push(UNKNOWN_CALLS);
      else if (entry.isFile() && isModule(entry.name)) read(below);
    }
  };
  const stats = record.stat(path);
  if (stats?.isDirectory()) walk(path, 1);
  else if (stats?.isFile()) read(path);
  else all.push(UNKNOWN_CALLS);
  return {
    flags: all.flatMap(({ flags }) => flags),
    tools: all.flatMap(({ tools }) => tools),
    providers: all.flatMap(({ providers }) => providers),
    isComplete: all.every(({ isComplete }) => isComplete),
  };
};
