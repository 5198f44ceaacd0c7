import { constants } from 'node:fs';
import { z } from 'zod';
import { isAgentId } from '../../shared/api/names.ts';
import { isPresetName, MAX_PRESET_BYTES } from '../../shared/api/presets.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { type TrashEntry, trashedSession } from '../../shared/api/trash.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { AppError, entryProblemOf, isNotFound, systemCode } from '../platform/app-error.ts';
import { type DirectoryHandle, openOrMake, withDirectory } from '../platform/directory-handle.ts';

/** The name of a trash item: the agent's id or `preset`, the time in milliseconds in base 36, and random digits. */
export const ENTRY_NAME = /^([A-Za-z0-9][A-Za-z0-9._-]*)@([0-9a-z]+)-[0-9a-f]{12}$/;

// `<root>/.trash/<entry>/` contains `entry.json`, and the agent's unchanged directory or a session's or
// preset's file.
const TRASH = '.trash';
/** The file that describes a trash item. */
export const RECORD = 'entry.json';
const AGENT_CONTENT = 'agent';
const SESSION_CONTENT = 'session.jsonl';
const PRESET_CONTENT = 'preset.json';

/**
 * The size limit for a record. It has an id, a time and, for a session, a path, but another user of the root could put
 * gigabytes there.
 */
const MAX_RECORD_BYTES = 16 * 1024;

const recordSchema = z
  .object({
    id: z.string(),
    deletedAt: z.iso.datetime(),
    session: trashedSession.optional(),
    preset: z.string().refine(isPresetName).optional(),
  })
  .refine(({ id, preset }) => isAgentId(id) || id === preset);

/** What a trash item's record contains. */
export type TrashRecord = z.infer<typeof recordSchema>;

/** Returns the name of the deleted file or directory in its trash item. */
export const contentOf = ({ session, preset }: Pick<TrashRecord, 'session' | 'preset'>): string => {
  if (session) return SESSION_CONTENT;
  return preset === undefined ? AGENT_CONTENT : PRESET_CONTENT;
};

/** Opens the trash, if it exists. SECURITY: it must not be a symlink, which would move agents out of the root. */
export const openTrash = async (root: DirectoryHandle): Promise<DirectoryHandle | undefined> => {
  try {
    return await root.open(TRASH);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (!isNotFound(error)) throw error;
    throw new AppError(
      'not_a_directory',
      'The trash, ".trash" in the root, is not a regular directory. Move it somewhere else.',
      {},
      error,
    );
  }
};

/** Opens the trash, creating it if it doesn't exist. */
export const makeTrash = async (root: DirectoryHandle): Promise<DirectoryHandle> => {
  const trash = (await openTrash(root)) ?? (await openOrMake(root, TRASH, 0o700));
  // Try this each time, in case a crash prevented it before. The root is often a git repository, which shouldn't
  // contain deleted agents.
  try {
    const file = await trash.openFile(
      '.gitignore',
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
    );
    try {
      await file.writeFile('*\n');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') {
      await trash.close();
      throw error;
    }
  }
  return trash;
};

/** Reads a trash item's small file, and its mode. Undefined for anything else. */
const readSmallFile = async (place: DirectoryHandle, name: string, maxBytes: number) => {
  const file = await place.openFile(name);
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    return { bytes: await file.readFile(), mode: stats.mode };
  } finally {
    await file.close();
  }
};

const readRecord = async (place: DirectoryHandle): Promise<z.infer<typeof recordSchema> | undefined> => {
  const file = await readSmallFile(place, RECORD, MAX_RECORD_BYTES);
  return file && recordSchema.parse(parseShallowJson(file.bytes.toString()));
};

/** Reads a deleted preset's file. Undefined if it isn't a file. */
export const readPresetContent = (place: DirectoryHandle) =>
  readSmallFile(place, PRESET_CONTENT, MAX_PRESET_BYTES);

/** Reads a record, or returns undefined if it's missing or damaged. Throws if the system denies access. */
const readRecordIfSound = async (place: DirectoryHandle) => {
  try {
    return await readRecord(place);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || isNotFound(error)) return undefined;
    throw error;
  }
};

/** Describes a trash item that can't be restored, using its name. Undefined if the name isn't valid. */
const entryWithProblem = (entry: string, problem: EntryProblem): TrashEntry | undefined => {
  const [, id, deletedAt] = ENTRY_NAME.exec(entry) ?? [];
  const deletedAtMs = parseInt(deletedAt ?? '', 36);
  // Another program may have chosen the name, with an invalid time in it.
  if (id === undefined || Number.isNaN(new Date(deletedAtMs).getTime())) return undefined;
  return { entry, id, deletedAt: new Date(deletedAtMs).toISOString(), problem };
};

const damagedRecord = (entry: string): EntryProblem => ({
  code: 'unreadable',
  message: `The record of this deleted agent is damaged. Its files are in .trash/${entry}/${AGENT_CONTENT} in the root.`,
});

/** Reads a trash item. Undefined if it isn't a trash item, or contains nothing to restore. */
export const readEntry = async (trash: DirectoryHandle, entry: string): Promise<TrashEntry | undefined> => {
  if (!ENTRY_NAME.test(entry)) return undefined;
  try {
    return await withDirectory(trash.open(entry), async (place) => {
      const record = await readRecordIfSound(place);
      await place.lstat(record ? contentOf(record) : AGENT_CONTENT);
      return record ? { entry, ...record } : entryWithProblem(entry, damagedRecord(entry));
    });
  } catch (error) {
    // A crash between two steps left this trash item without its content, so there's nothing to restore.
    if (isNotFound(error)) return undefined;
    return entryWithProblem(entry, entryProblemOf(error, 'This deleted agent'));
  }
};

/** Returns whether a trash item still has its content. */
export const hasContent = (trash: DirectoryHandle, entry: string): Promise<boolean> =>
  withDirectory(
    trash.open(entry),
    async (place) =>
      (await place.has(AGENT_CONTENT)) ||
      (await place.has(SESSION_CONTENT)) ||
      (await place.has(PRESET_CONTENT)),
  ).catch((error: unknown) => {
    if (isNotFound(error)) return false;
    throw error;
  });
