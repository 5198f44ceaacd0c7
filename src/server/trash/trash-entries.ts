import { constants } from 'node:fs';
import { z } from 'zod';
import { isAgentId } from '../../shared/api/names.ts';
import { isPresetName, MAX_PRESET_BYTES } from '../../shared/api/presets.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { type TrashEntry, trashedSession } from '../../shared/api/trash.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { AppError, entryProblemOf, isNotFound, systemCode } from '../platform/app-error.ts';
import { type DirectoryHandle, openOrMake, withDirectory } from '../platform/directory-handle.ts';

/** The name of an entry: the id of the agent, or `preset`, the time in milliseconds to the base of 36, and random digits. */
export const ENTRY_NAME = /^([A-Za-z0-9][A-Za-z0-9._-]*)@([0-9a-z]+)-[0-9a-f]{12}$/;

// <root>/.trash/<entry>/ holds `entry.json`, and the agent's unchanged directory or the file of a session or preset.
const TRASH = '.trash';
/** The file that says what an entry is. */
export const RECORD = 'entry.json';
const AGENT_CONTENT = 'agent';
const SESSION_CONTENT = 'session.jsonl';
const PRESET_CONTENT = 'preset.json';

/** A record has an id and a time, and of a session also a path. Another user of the root could put gigabytes in its place. */
const MAX_RECORD_BYTES = 16 * 1024;

const recordSchema = z
  .object({
    id: z.string(),
    deletedAt: z.iso.datetime(),
    session: trashedSession.optional(),
    preset: z.string().refine(isPresetName).optional(),
  })
  .refine(({ id, preset }) => isAgentId(id) || id === preset);

/** What an entry's record says. */
export type TrashRecord = z.infer<typeof recordSchema>;

/** The name of what was deleted, in its entry. */
export const contentOf = ({ session, preset }: Pick<TrashRecord, 'session' | 'preset'>): string => {
  if (session) return SESSION_CONTENT;
  return preset === undefined ? AGENT_CONTENT : PRESET_CONTENT;
};

/** Opens the trash, if there is one. SECURITY: a symlink in its place would move agents out of the root. */
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

/** Opens the trash, and creates it if there is none. */
export const makeTrash = async (root: DirectoryHandle): Promise<DirectoryHandle> => {
  const trash = (await openTrash(root)) ?? (await openOrMake(root, TRASH, 0o700));
  // Each time: a crash can come in between. The root is often a git repository; deleted agents are not part of it.
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

/** A small file of an entry, and its mode. Undefined for anything else. */
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

/** The file of a deleted preset. Undefined if something else is in its place. */
export const readPresetContent = (place: DirectoryHandle) =>
  readSmallFile(place, PRESET_CONTENT, MAX_PRESET_BYTES);

/** Reads a record, or returns undefined if it is missing or damaged. Throws if the system denies access. */
const readRecordIfSound = async (place: DirectoryHandle) => {
  try {
    return await readRecord(place);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || isNotFound(error)) return undefined;
    throw error;
  }
};

/** An entry that can't be restored, with what its name says. Undefined if the name says nothing. */
const entryWithProblem = (entry: string, problem: EntryProblem): TrashEntry | undefined => {
  const [, id, deletedAt] = ENTRY_NAME.exec(entry) ?? [];
  const deletedAtMs = parseInt(deletedAt ?? '', 36);
  // The name may be of another program, with a time that no date has.
  if (id === undefined || Number.isNaN(new Date(deletedAtMs).getTime())) return undefined;
  return { entry, id, deletedAt: new Date(deletedAtMs).toISOString(), problem };
};

const damagedRecord = (entry: string): EntryProblem => ({
  code: 'unreadable',
  message: `The record of this deleted agent is damaged. Its files are in .trash/${entry}/${AGENT_CONTENT} in the root.`,
});

/** Reads an entry. Undefined if it isn't one, or holds nothing that could be restored. */
export const readEntry = async (trash: DirectoryHandle, entry: string): Promise<TrashEntry | undefined> => {
  if (!ENTRY_NAME.test(entry)) return undefined;
  try {
    return await withDirectory(trash.open(entry), async (place) => {
      const record = await readRecordIfSound(place);
      await place.lstat(record ? contentOf(record) : AGENT_CONTENT);
      return record ? { entry, ...record } : entryWithProblem(entry, damagedRecord(entry));
    });
  } catch (error) {
    // An entry without content is left from a crash between two steps, and there is nothing to restore.
    if (isNotFound(error)) return undefined;
    return entryWithProblem(entry, entryProblemOf(error, 'This deleted agent'));
  }
};

/** Whether an entry still holds what was deleted. */
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
