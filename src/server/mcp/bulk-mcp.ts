import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { secretPlaceOf } from '../../pi/mcp-secrets.ts';
import type { ResponseOf } from '../../shared/api/endpoint.ts';
import type { McpChanges, undoAllMcp } from '../../shared/api/mcp.ts';
import type { BulkMcp } from '../../shared/api/mcp-result.ts';
import { AppError } from '../platform/app-error.ts';
import { type Failure, failureOf, forEachAgent } from '../platform/bulk.ts';
import { OPERATOR_READER } from '../platform/caller.ts';
import { namesEtag } from '../platform/etag.ts';
import type { FormFile, FormFiles, TaggedText } from '../platform/form-file.ts';
import { type Root, resolveRoot } from '../platform/root.ts';
import { quoted } from '../platform/words.ts';
import { fileChanged } from '../platform/write-conditions.ts';
import { changedMcp, serverIn, withEntry } from './change-mcp.ts';

const FILE = 'mcp.json';

/** How many bulk changes can be undone, and how long their text can be in total, in UTF-16 code units. */
const MAX_UNDO = 20;
const MAX_UNDO_TEXT = 32 * 1024 * 1024;

type AgentResult = BulkMcp['agents'][number];

/** A change to one server in an mcp.json. The text is undefined if the file is missing. */
interface Task {
  readonly name: string;
  /** Returns the same text if it changes nothing. */
  run(text: string | undefined): string | undefined;
}

/** A written mcp.json: its earlier text, and its new etag. */
interface Written {
  readonly id: string;
  readonly before: string | undefined;
  readonly etag: string;
}

/** Changes many agents' MCP servers. */
export interface BulkMcpService {
  change(changes: McpChanges): Promise<BulkMcp>;
  /** Adds entries to agents, like `copy`. */
  add(agents: readonly string[], servers: Readonly<Record<string, unknown>>): Promise<BulkMcp>;
  /** Throws `nothing_to_undo`. */
  undo(id: string): Promise<ResponseOf<typeof undoAllMcp>>;
}

/** Refuses an entry that contains a secret as plain text. */
const requireNoSecret = (name: string, entry: unknown, from: string): void => {
  const place = secretPlaceOf(entry);
  if (place)
    throw new AppError(
      'mcp_server_refused',
      `The MCP server ${quoted(name)} of ${from} contains a secret in plain text at ${quoted(place.join('.'))}, so it was not copied. Replace the secret with a variable such as $NAME, and set that variable before you start pi.`,
    );
};

/** Creates {@link BulkMcpService}. */
export const createBulkMcp = (root: Root, files: FormFiles, form: FormFile): BulkMcpService => {
  /** SECURITY: an mcp.json can contain secrets, so the earlier text stays in memory. */
  const undos = new LRUCache<string, readonly Written[]>({
    max: MAX_UNDO,
    maxSize: MAX_UNDO_TEXT,
    sizeCalculation: (all) => all.reduce((sum, { before }) => sum + 1 + (before?.length ?? 0), 0),
  });

  const changeAgent = async (
    id: string,
    tasks: readonly Task[],
    etag: string | undefined,
  ): Promise<{ readonly result: AgentResult; readonly written?: Written }> => {
    let result: AgentResult = { id, done: [], unchanged: [], failed: [] };
    let before: string | undefined;
    const edit = (text: string | undefined): string | undefined => {
      result = { id, done: [], unchanged: [], failed: [] };
      before = text;
      let now = text;
      for (const { name, run } of tasks) {
        try {
          const next = run(now);
          (next === now ? result.unchanged : result.done).push(name);
          now = next;
        } catch (error) {
          result.failed.push({ name, ...failureOf(error) });
        }
      }
      return now;
    };
    try {
      const after = await form.change(id, { ifMatch: etag }, edit);
      const isWritten = after !== undefined && after.content !== before;
      return { result: result, ...(isWritten ? { written: { id, before, etag: after.etag } } : {}) };
    } catch (error) {
      const failure = failureOf(error);
      return {
        result: { id, done: [], unchanged: [], failed: tasks.map(({ name }) => ({ name, ...failure })) },
      };
    }
  };

  const runAll = async (
    tasksOf: ReadonlyMap<string, readonly Task[]>,
    etags: ReadonlyMap<string, string> = new Map(),
  ): Promise<BulkMcp> => {
    const results = new Map<string, AgentResult>();
    const written: Written[] = [];
    await forEachAgent(tasksOf, async ([id, tasks]) => {
      const changed = await changeAgent(id, tasks, etags.get(id));
      results.set(id, changed.result);
      if (changed.written) written.push(changed.written);
    });
    const undo = written.length > 0 ? randomUUID() : null;
    if (undo !== null) undos.set(undo, written);
    return {
      undo: undo !== null && undos.has(undo) ? undo : null,
      agents: Array.from(tasksOf.keys()).flatMap((id) => results.get(id) ?? []),
    };
  };

  /** Returns the task that copies an entry, or the failure to report for each agent. */
  const copyTask = (from: string, name: string, source: TaggedText | undefined | Failure): Task => {
    const find = (): unknown => {
      if (source && 'code' in source) throw new AppError(source.code, source.error);
      const found = source && serverIn(source.content, name);
      if (!found)
        throw new AppError('mcp_server_not_found', `${from} has no MCP server ${quoted(name)} to copy.`);
      requireNoSecret(name, found.entry, from);
      return found.entry;
    };
    return { name, run: (text) => withEntry(text, name, find()) };
  };

  const taskOf = (action: 'on' | 'off' | 'remove', name: string): Task => ({
    name,
    run(text) {
      if (text === undefined || !serverIn(text, name)) return text;
      return changedMcp(text, { name, server: action === 'remove' ? null : { enabled: action === 'on' } });
    },
  });

  const readSource = async (
    id: string,
    etag: string | undefined,
  ): Promise<TaggedText | undefined | Failure> => {
    try {
      const file = await form.read(id, OPERATOR_READER);
      if (etag !== undefined && !namesEtag(etag, file?.etag))
        throw fileChanged(`${FILE} of ${id}`, file?.etag);
      return file;
    } catch (error) {
      return failureOf(error);
    }
  };

  const change = async ({ steps, etags: sent = {} }: McpChanges): Promise<BulkMcp> => {
    // An agent can have the name of a property that every object has.
    const etags = new Map(Object.entries(sent));
    await resolveRoot(root);
    const sources = new Map<string, TaggedText | undefined | Failure>();
    for (const { from } of steps)
      if (from !== undefined && !sources.has(from))
        sources.set(from, await readSource(from, etags.get(from)));
    const tasksOf = new Map<string, Task[]>();
    for (const { action, names, agents, from } of steps) {
      const tasks = [...new Set(names)].map((name) =>
        action === 'copy' ? copyTask(from ?? '', name, sources.get(from ?? '')) : taskOf(action, name),
      );
      for (const id of new Set(agents)) {
        const own = tasksOf.get(id) ?? [];
        own.push(...tasks);
        tasksOf.set(id, own);
      }
    }
    return runAll(tasksOf, etags);
  };

  const add: BulkMcpService['add'] = (agents, servers) => {
    const tasks = Object.entries(servers).map(
      ([name, entry]): Task => ({ name, run: (text) => withEntry(text, name, entry) }),
    );
    return runAll(new Map(tasks.length === 0 ? [] : agents.map((id) => [id, tasks])));
  };

  const undo: BulkMcpService['undo'] = async (undoId) => {
    await resolveRoot(root);
    const batch = undos.get(undoId);
    if (!batch)
      throw new AppError(
        'nothing_to_undo',
        'dot-mi can no longer undo this change. It forgets changes when it stops.',
      );
    // Two requests must not undo the same change twice.
    undos.delete(undoId);
    const left: Written[] = [];
    const failed: ({ id: string } & Failure)[] = [];
    await forEachAgent(batch, async (one) => {
      const { id, before, etag } = one;
      try {
        if (before === undefined) await files.remove(id, FILE, etag);
        else await files.write(id, FILE, before, { ifMatch: etag });
      } catch (error) {
        failed.push({ id, ...failureOf(error) });
        left.push(one);
      }
    });
    if (left.length > 0) undos.set(undoId, left);
    return { undone: batch.length - left.length, failed };
  };

  return { change, add, undo };
};
