import { join, relative, sep } from 'node:path';
import { AGENT_PROMPT_EXTENSIONS } from '../../pi/agent-md.ts';
import { NEWEST_PI } from '../../pi/flags.ts';
import { type AgentFacts, interpret, interpretationLimit } from '../../pi/interpret.ts';
import { isWrittenFile, type WrittenFile } from '../../shared/api/names.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError, systemCode, unlessRefused } from '../platform/app-error.ts';
import { insideOfRoot } from '../platform/shared-folder.ts';
import { type CHECKS_READER, type FileSnapshot, type FilesPlace, readListedFile } from './agent-file.ts';
import type { ScanContext } from './coverage.ts';
import { createKept } from './kept.ts';
import type { PathRecord } from './path-record.ts';
import { readText } from './reader.ts';

declare const isUnread: unique symbol;

/**
 * The files that an agent has and that dot-mi didn't read as text. Only a reading creates it, and whatever lists keep
 * of an agent has it, so that no list can leave it out silently.
 */
export type Unread = readonly WrittenFile[] & { readonly [isUnread]: true };

/** An agent's small files. Each is read once, on first use, and recorded. */
export interface AgentReading {
  readonly id: string;
  /** Reads a file as all callers may see it. Throws the system's errors. */
  file(name: WrittenFile): FileSnapshot;
  /** Returns a file's text. Undefined if it's missing, or else {@link AgentReading.unread} has it. */
  text(name: WrittenFile): string | undefined;
  /** Returns what pi makes of these files, as far as it decides the model, the tools and what is switched off. */
  facts(): AgentFacts;
  /** Returns what was asked for and not read. */
  unread(): Unread;
}

/** Creates the reading of an agent that exists. `reader` decides which links are followed. */
export const createAgentReading = (
  place: FilesPlace,
  homeDirectory: string,
  id: string,
  record: PathRecord,
  reader?: typeof CHECKS_READER,
): AgentReading => {
  const directory = place.root.agent(id);
  const files = new Map<string, FileSnapshot>();
  const unread = new Set<WrittenFile>();
  const file = (name: WrittenFile): FileSnapshot => {
    const known = files.get(name) ?? readListedFile(place, id, name, record, reader);
    files.set(name, known);
    return known;
  };
  const text = (name: WrittenFile): string | undefined => {
    const read = unlessRefused(() => file(name));
    const content = read?.kind === 'text' ? read.file.content : undefined;
    if (content !== undefined && interpretationLimit(name, content) === undefined) return content;
    // pi treats a broken link as missing.
    if (read?.info.exists !== false) unread.add(name);
    return undefined;
  };
  const readers = new Set(AGENT_PROMPT_EXTENSIONS.map((path) => join(directory, 'extensions', ...path)));
  const disk = {
    join,
    readText(path: string): string | undefined {
      const name = relative(directory, path);
      if (!name.includes(sep) && isWrittenFile(name)) return text(name);
      // The code of an extension that reads AGENT.md says nothing about the model.
      if (readers.has(path)) return record.stat(path) && '';
      const read = readText(path, record, insideOfRoot(place.root));
      return 'text' in read ? read.text : undefined;
    },
    // Only these decide which model an agent starts with, and only if it has an AGENT.md.
    list: () =>
      text('AGENT.md') === undefined
        ? []
        : AGENT_PROMPT_EXTENSIONS.map(([name = '', ...rest]) => ({
            name,
            kind: rest.length > 0 ? ('directory' as const) : ('file' as const),
          })),
  };
  return {
    id,
    file,
    text,
    facts: () => interpret(disk, directory, homeDirectory, NEWEST_PI),
    unread: () => [...unread].sort() as readonly WrittenFile[] as Unread,
  };
};

/**
 * Creates the agents of a root as lists need them. `pick` returns what the lists keep of an agent's files, which is
 * little, because a root can have 10,000 agents. It's the same object while it's equal.
 */
export const createReadAgents = <T extends { readonly unread: Unread }>(
  place: FilesPlace,
  homeDirectory: string,
  pick: (agent: AgentReading) => T,
): ((ids: readonly string[], at: ScanContext) => readonly T[]) => {
  const { all } = createKept((id, record) => {
    record.stat(place.root.agent(id));
    try {
      requireAgentSync(place.root, id);
    } catch (error) {
      // The agent was removed or replaced since the listing.
      if (error instanceof AppError && error.code === 'agent_not_found') return undefined;
      // Each file reports that the system denies access.
      if (systemCode(error) === undefined) throw error;
    }
    return pick(createAgentReading(place, homeDirectory, id, record));
  });
  return all;
};
