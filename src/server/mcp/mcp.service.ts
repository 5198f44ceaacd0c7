import { LRUCache } from 'lru-cache';
import type { AgentMcp } from '../../shared/api/mcp.ts';
import type { WrittenFile } from '../../shared/api/names.ts';
import type { Base } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { requireConditions, type WriteConditions } from '../platform/write-conditions.ts';
import { changedMcp, type McpChange } from './change-mcp.ts';
import { entriesOf } from './mcp-entries.ts';
import { hasSignIns } from './sign-ins.ts';

const FILE = 'mcp.json';

/** The part of the files feature that it uses. */
export interface McpFiles {
  readTagged(id: string, name: WrittenFile): Promise<{ content: string; etag: string } | undefined>;
  write(
    id: string,
    name: WrittenFile,
    content: string,
    conditions: WriteConditions,
  ): Promise<{ readonly etag: string }>;
  remove(id: string, name: WrittenFile, etag: string): Promise<void>;
}

/** Reads and changes the MCP servers of agents. All of it throws `agent_not_found`, `root_unavailable`, and why mcp.json can't be read. */
export interface McpService {
  read(id: string): Promise<AgentMcp>;
  /** Throws `file_changed`, and what {@link changedMcp} throws. */
  change(id: string, change: McpChange, conditions: WriteConditions): Promise<AgentMcp>;
  /** Puts the file back as it was before the change that made this etag. Throws `nothing_to_undo`, `file_changed`. */
  undo(id: string, etag: string): Promise<AgentMcp>;
}

/** How many changes can be undone, and how much text of them is kept, in UTF-16 code units. */
const MAX_UNDO = 100;
const MAX_UNDO_TEXT = 4 * 1024 * 1024;

/** Another program may write the file between our read and our write. */
const ATTEMPTS = 4;

type McpDeps = Pick<Base, 'root' | 'nearDisk' | 'disk'> & { readonly files: McpFiles };

/** Creates the service. */
export const createMcpService = ({ root, nearDisk, disk, files }: McpDeps): McpService => {
  /** The texts before changes, by agent and etag after it. SECURITY: they can hold secrets, so they stay in memory. */
  const earlier = new LRUCache<string, { readonly text: string | undefined }>({
    max: MAX_UNDO,
    maxSize: MAX_UNDO_TEXT,
    sizeCalculation: ({ text }) => 1 + (text?.length ?? 0),
  });
  const keyOf = (id: string, etag: string) => `${id} ${etag}`;

  const toAnswer = async (
    id: string,
    file: { content: string; etag: string } | undefined,
  ): Promise<AgentMcp> => ({
    exists: file !== undefined,
    etag: file?.etag ?? null,
    ...(file ? entriesOf(file.content) : { servers: [] }),
    hasSignIns:
      nearDisk.read(() => hasSignIns(root, id)) ??
      (JSON.parse((await disk.ask<boolean>({ hasSignIns: id })).json.toString()) as boolean),
  });

  const read = async (id: string) => toAnswer(id, await files.readTagged(id, FILE));

  const changeOnce = async (
    id: string,
    change: McpChange,
    conditions: WriteConditions,
  ): Promise<AgentMcp> => {
    const file = await files.readTagged(id, FILE);
    requireConditions(conditions, FILE, file?.etag);
    const content = changedMcp(file?.content, change);
    if (content === file?.content) return toAnswer(id, file);
    // Only what was read may be replaced, whatever the caller's conditions allow.
    const { etag } = await files.write(
      id,
      FILE,
      content,
      file ? { ifMatch: file.etag } : { ifNoneMatch: '*' },
    );
    earlier.set(keyOf(id, etag), { text: file?.content });
    return toAnswer(id, { content, etag });
  };

  return {
    read,

    async change(id, change, conditions) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await changeOnce(id, change, conditions);
        } catch (error) {
          // The next attempt sees whether the caller's conditions still hold.
          const isRetried = error instanceof AppError && error.code === 'file_changed' && attempt < ATTEMPTS;
          if (!isRetried) throw error;
        }
      }
    },

    async undo(id, etag) {
      const before = earlier.get(keyOf(id, etag));
      // Also says if there is no such agent.
      await files.readTagged(id, FILE);
      if (!before)
        throw new AppError(
          'nothing_to_undo',
          'dot-mi does not remember this change. It forgets changes when it ends.',
        );
      if (before.text === undefined) await files.remove(id, FILE, etag);
      else await files.write(id, FILE, before.text, { ifMatch: etag });
      earlier.delete(keyOf(id, etag));
      return read(id);
    },
  };
};
