import { randomBytes } from 'node:crypto';
import { relative, sep } from 'node:path';
import { TRASH_DAYS, type TrashEntry } from '../../shared/api/trash.ts';
import { AppError, fromSystemError, isNotFound } from '../platform/app-error.ts';
import { writeFileIn } from '../platform/atomic-write.ts';
import { operatorRequired } from '../platform/caller.ts';
import { type Changes, MISSING, type PathState, type SessionsAccess } from '../platform/changes.ts';
import type { Clock } from '../platform/clock.ts';
import { currentRequest } from '../platform/current-request.ts';
import { type DirectoryHandle, withDirectory, withDirectoryBelow } from '../platform/directory-handle.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import { removeTree } from '../platform/remove-tree.ts';
import { isInside, type Root, withNewAgents, withRoot } from '../platform/root.ts';
import {
  contentOf,
  ENTRY_NAME,
  hasContent,
  makeTrash,
  openTrash,
  RECORD,
  readEntry,
  readPresetContent,
  type TrashRecord,
} from './trash-entries.ts';
import { restoreSession, takeSession } from './trashed-sessions.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many trash items to read at once. Each needs two open files. */
const READ_AT_ONCE = 32;

interface DeletedSession {
  readonly id: string;
  readonly name: string | undefined;
  /** The absolute path of the session's file. */
  readonly path: string;
}

interface PresetFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** Dependencies of {@link createTrashService}. */
export interface TrashDeps {
  readonly changes: Pick<Changes, 'record'>;
  /** Forgets what belonged to an earlier agent with this id. */
  forgetAgent(id: string): Promise<unknown>;
  /** Keeps what belongs to an agent for its trash item. */
  putAway(id: string, entry: string): Promise<unknown>;
  /** Gives an agent what was kept for the trash item from which it's restored. */
  bringBack(entry: string, id: string): Promise<unknown>;
  /** Removes what was kept for a trash item. */
  discard(entry: string): Promise<unknown>;
  /** Recreates a preset. Throws `preset_exists` and `not_a_directory`. */
  placePreset(name: string, file: PresetFile): Promise<void>;
}

/** Keeps deleted agents, sessions and presets for {@link TRASH_DAYS} days. */
export interface TrashService {
  /** Newest first. */
  list(): Promise<TrashEntry[]>;
  /**
   * Returns the restored agent's id: `name`, or else its own. For a session, returns its agent's id, and for a preset
   * its name.
   */
  restore(entry: string, name?: string): Promise<string>;
  remove(entry: string): Promise<void>;
  /** Returns a new name for the trash item of an agent. */
  newEntry(id: string): string;
  /**
   * Moves the file or directory at an agent's path to the trash, atomically. Returns the name of its trash item. The
   * caller holds the agent's lock.
   */
  moveToTrash(id: string, entry?: string): Promise<string>;
  /** Restores an agent under its own id. The caller holds its lock. Throws `trash_entry_not_found` and `agent_exists`. */
  bringAgentBack(entry: string, id: string): Promise<void>;
  /** Moves an agent's session file to the trash. Throws `session_outside_root` and `session_not_found`. */
  moveSession(agent: string, session: DeletedSession): Promise<string>;
  /** Stores a copy of a preset that the caller deletes. Returns the name of its trash item. */
  keepPreset(name: string, file: PresetFile): Promise<string>;
  /** Finds the trash item for the most recently deleted preset with this name. */
  findPreset(name: string): Promise<string | undefined>;
  /** How change sets delete sessions again, and restore them. */
  readonly sessions: SessionsAccess;
  /** Removes trash items older than {@link TRASH_DAYS} days, and leftovers of a finished restore after a crash. */
  purge(): Promise<void>;
}

const notFound = () =>
  new AppError('trash_entry_not_found', 'The trash doesn’t have this item.').withHint({
    route: 'GET /api/trash',
    text: 'GET /api/trash lists its items.',
  });

/** Returns a session's path relative to the root, with `/`. */
const requireInRoot = (root: Root, path: string): string => {
  if (isInside(root.path, path)) return relative(root.path, path).split(sep).join('/');
  throw new AppError(
    'session_outside_root',
    'This session is outside the root, so dot-mi doesn’t move it. Delete its file yourself.',
  );
};

/** Creates the trash service of a root. */
export const createTrashService = (
  root: Root,
  clock: Clock,
  agentLock: KeyedLock,
  { forgetAgent, putAway, bringBack, discard, placePreset, changes }: TrashDeps,
): TrashService => {
  /** A trash item with a problem never expires, so that someone can look at it. */
  const isExpired = ({ deletedAt, problem }: TrashEntry) =>
    !problem && clock.now() - Date.parse(deletedAt) > TRASH_DAYS * DAY_MS;

  /** Runs `use` with the open root and its trash. Returns undefined if there is no trash yet. */
  const withTrash = <T>(
    use: (trash: DirectoryHandle, directory: DirectoryHandle) => Promise<T>,
  ): Promise<T | undefined> =>
    withRoot(root, async (directory) => {
      const trash = await openTrash(directory);
      return trash && withDirectory(trash, () => use(trash, directory));
    });

  const requireEntry = async (trash: DirectoryHandle, entry: string): Promise<TrashEntry> => {
    const found = await readEntry(trash, entry);
    // A purge may already be removing an expired item.
    if (!found || isExpired(found)) throw notFound();
    return found;
  };

  const readAll = async (trash: DirectoryHandle): Promise<TrashEntry[]> => {
    const names = (await trash.list()).map(({ name }) => name);
    const kept: TrashEntry[] = [];
    for (let first = 0; first < names.length; first += READ_AT_ONCE) {
      const entries = await Promise.all(
        names.slice(first, first + READ_AT_ONCE).map((name) => readEntry(trash, name)),
      );
      for (const entry of entries) if (entry && !isExpired(entry)) kept.push(entry);
    }
    return kept;
  };

  const requireRestorable = async (trash: DirectoryHandle, entry: string): Promise<TrashEntry> => {
    const found = await requireEntry(trash, entry);
    if (found.problem) throw new AppError('trash_entry_unreadable', found.problem.message);
    return found;
  };

  const restoreInto = async (agents: DirectoryHandle, trash: DirectoryHandle, entry: string, id: string) => {
    if (await agents.has(id)) {
      throw new AppError(
        'agent_exists',
        `An agent "${id}" already exists. Restore the deleted one under another name.`,
      );
    }
    await withDirectory(trash.open(entry), (place) => place.rename(contentOf({}), agents, id));
    await removeTree(trash, entry);
  };

  // A preset's name may have characters that trash items can't have.
  const nameFor = (id: string, preset?: string): string =>
    `${preset === undefined ? id : 'preset'}@${clock.now().toString(36)}-${randomBytes(6).toString('hex')}`;

  /** Creates a trash item, and moves its content there atomically. */
  const keep = (
    what: Omit<TrashRecord, 'deletedAt'>,
    move: (place: DirectoryHandle, content: string, directory: DirectoryHandle) => Promise<void>,
    entry = nameFor(what.id, what.preset),
  ): Promise<string> =>
    withRoot(root, (directory) =>
      withDirectory(makeTrash(directory), async (trash) => {
        const record = { ...what, deletedAt: new Date(clock.now()).toISOString() } satisfies TrashRecord;
        await trash.mkdir(entry, 0o700);
        try {
          await withDirectory(trash.open(entry), async (place) => {
            await writeFileIn(place, RECORD, Buffer.from(JSON.stringify(record)));
            await move(place, contentOf(record), directory);
          });
        } catch (error) {
          await removeTree(trash, entry);
          throw error;
        }
        return entry;
      }),
    );

  /** The caller holds the locks. */
  const restoreAgent = async (
    trash: DirectoryHandle,
    directory: DirectoryHandle,
    entry: string,
    id: string,
  ): Promise<void> => {
    // Check again under the lock, because another restore may have come first.
    await requireRestorable(trash, entry);
    // SECURITY: this agent must not inherit keys from an earlier agent with its id, or lose its own budget.
    await withNewAgents(directory, async (agents) => {
      if (!(await agents.has(id))) {
        await forgetAgent(id);
        await bringBack(entry, id);
      }
      await restoreInto(agents, trash, entry, id);
    });
  };

  const restorePreset = async (trash: DirectoryHandle, entry: string, preset: string) => {
    const file = await withDirectory(trash.open(entry), readPresetContent);
    if (!file) {
      throw new AppError(
        'trash_entry_unreadable',
        `The root’s .trash/${entry} no longer contains the deleted preset.`,
      );
    }
    await placePreset(preset, file);
    await removeTree(trash, entry);
    return preset;
  };

  const restoreSessionOf = async (
    trash: DirectoryHandle,
    directory: DirectoryHandle,
    entry: string,
  ): Promise<void> => {
    const { id: agent } = await requireRestorable(trash, entry);
    await agentLock.run(agent, async () => {
      const { session } = await requireRestorable(trash, entry);
      if (!session) throw notFound();
      await withDirectory(trash.open(entry), (place) =>
        restoreSession(directory, session.path, place, contentOf({ session })),
      );
      await removeTree(trash, entry);
    });
  };

  /** Moves a session to a trash item. `path` is relative to the root. */
  const takeSessionOf = (agent: string, session: NonNullable<TrashRecord['session']>, entry: string) =>
    agentLock.run(agent, () =>
      keep(
        { id: agent, session },
        (place, content, directory) => takeSession(directory, session.path, place, content),
        entry,
      ),
    );

  const THERE = { is: 'session' } as const satisfies PathState;

  const goneState = (
    agent: string,
    { id, name }: Pick<NonNullable<TrashRecord['session']>, 'id' | 'name'>,
    entry: string,
  ): PathState => ({ is: 'missing', trash: entry, session: { agent, id, name } });

  const sessions: SessionsAccess = {
    async read(path) {
      const names = path.split('/');
      const isThere = await withRoot(root, (directory) =>
        withDirectoryBelow(directory, names.slice(0, -1), (parent) => parent.has(names.at(-1) ?? '')),
      ).catch((error: unknown) => {
        if (isNotFound(error)) return false;
        throw error;
      });
      if (isThere) return THERE;
      const found = (await list()).find(({ session }) => session?.path === path);
      return found?.session ? goneState(found.id, found.session, found.entry) : MISSING;
    },
    async write(path, before, after, recorded) {
      await recorded;
      // SECURITY: as for the trash itself.
      const caller = currentRequest()?.caller;
      if (caller && caller.kind !== 'operator') throw operatorRequired();
      if (after.is === 'missing' && after.session && after.trash !== undefined) {
        const { agent, id, name } = after.session;
        await takeSessionOf(agent, { id, name, path }, after.trash);
        return after;
      }
      const entry = before.is === 'missing' ? before.trash : undefined;
      const restored =
        entry === undefined
          ? undefined
          : await withTrash(async (trash, directory) => {
              await restoreSessionOf(trash, directory, entry);
              return THERE;
            });
      if (!restored) throw notFound();
      return restored;
    },
  };

  const list = async (): Promise<TrashEntry[]> => {
    const kept = (await withTrash(readAll)) ?? [];
    return kept.sort((a, b) => (a.deletedAt < b.deletedAt ? 1 : a.deletedAt > b.deletedAt ? -1 : 0));
  };

  return {
    list,

    async restore(entry, name) {
      const restored = await withTrash(async (trash, directory) => {
        const { id: own, session, preset } = await requireRestorable(trash, entry);
        if (preset !== undefined) {
          return agentLock.run(own, async () => {
            await requireRestorable(trash, entry);
            return restorePreset(trash, entry, preset);
          });
        }
        if (session) {
          const item = { path: session.path, before: goneState(own, session, entry), after: THERE };
          await changes.record(`Restore a session of ${own}`, [item], async (recorded) => {
            await recorded;
            await restoreSessionOf(trash, directory, entry);
          });
          return own;
        }
        const id = name ?? own;
        const restoreLocked = async () => {
          const items = [
            { path: `agents/${id}`, before: MISSING, after: { is: 'directory' as const, trash: entry } },
          ];
          await changes.record(`Restore ${id}`, items, async (recorded) => {
            await recorded;
            await restoreAgent(trash, directory, entry, id);
          });
          return id;
        };
        // The trash item is locked by its agent's id. A fixed order prevents a deadlock between two restores.
        const [first, second] = own < id ? [own, id] : [id, own];
        if (first === second) return agentLock.run(first, restoreLocked);
        return agentLock.run(first, () => agentLock.run(second, restoreLocked));
      });
      if (restored === undefined) throw notFound();
      return restored;
    },

    async remove(entry) {
      const removed = await withTrash(async (trash) => {
        const { id } = await requireEntry(trash, entry);
        await agentLock.run(id, async () => {
          await requireEntry(trash, entry);
          await removeTree(trash, entry);
          await discard(entry);
        });
        return id;
      });
      if (removed === undefined) throw notFound();
    },

    newEntry: nameFor,

    async moveToTrash(id, entry) {
      const kept = await keep(
        { id },
        (place, content, directory) =>
          withNewAgents(directory, (agents) => agents.rename(id, place, content)),
        entry,
      );
      await putAway(id, kept);
      return kept;
    },

    async bringAgentBack(entry, id) {
      const isDone = await withTrash(async (trash, directory) => {
        await restoreAgent(trash, directory, entry, id);
        return true;
      });
      if (!isDone) throw notFound();
    },

    sessions,

    async moveSession(agent, { id, name, path }) {
      const session = { id, name: name ?? null, path: requireInRoot(root, path) };
      const entry = nameFor(agent);
      const item = { path: session.path, before: THERE, after: goneState(agent, session, entry) };
      await changes.record(`Delete a session of ${agent}`, [item], async (recorded) => {
        await recorded;
        await takeSessionOf(agent, session, entry);
      });
      return entry;
    },

    keepPreset: (name, { bytes, mode }) =>
      keep({ id: name, preset: name }, (place, content) => writeFileIn(place, content, bytes, { mode })),

    findPreset: async (name) => (await list()).find(({ preset }) => preset === name)?.entry,

    async purge() {
      await withTrash(async (trash) => {
        for (const { name } of await trash.list()) {
          const deletedAtMs = parseInt(ENTRY_NAME.exec(name)?.[2] ?? '', 36);
          if (Number.isNaN(deletedAtMs)) continue;
          const entry = await readEntry(trash, name);
          try {
            const remains = !entry && clock.now() - deletedAtMs > DAY_MS && !(await hasContent(trash, name));
            if (remains || (entry && isExpired(entry))) await removeTree(trash, name);
          } catch (error) {
            // The others can still be removed. This one is retried the next day.
            if (!fromSystemError(error)) throw error;
          }
        }
      });
    },
  };
};
