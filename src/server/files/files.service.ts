import type { Stats } from 'node:fs';
import type { AgentFile, FileWritten } from '../../shared/api/files.ts';
import {
  type EditableFile,
  isWrittenFile,
  MAX_FILE_BYTES,
  type WrittenFile,
} from '../../shared/api/names.ts';
import { agentNotFound } from '../platform/agent-directory.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { removeLeftoverTemps, writeFileIn } from '../platform/atomic-write.ts';
import { OPERATOR_READER, type Reader } from '../platform/caller.ts';
import {
  type ChangeItem,
  type Changes,
  type FilesAccess,
  isSameState,
  MISSING,
  PathChangedError,
  type PathState,
  stateAfter,
} from '../platform/changes.ts';
import type { DirectoryHandle } from '../platform/directory-handle.ts';
import type { EtagOf } from '../platform/etag.ts';
import type { TaggedText } from '../platform/form-file.ts';
import { isFormFile } from '../platform/may-read.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { Root } from '../platform/root.ts';
import { requireConditions, type WriteConditions } from '../platform/write-conditions.ts';
import {
  type FileInfos,
  type FileSnapshot,
  fileIn,
  readAgentFile,
  readableOf,
  readFileInfos,
} from '../root-model/agent-file.ts';
import type { NearDisk } from '../root-model/near-disk.ts';

/**
 * A request to the disk thread for the result of {@link FilesService.read}, a file's {@link FileSnapshot}, or
 * all {@link FileInfos}.
 */
export type FilesQuestion =
  | { readonly fileOf: string; readonly name: EditableFile; readonly reader: Reader }
  | { readonly snapshotOf: string; readonly name: WrittenFile; readonly reader: Reader }
  | { readonly infosOf: string; readonly reader: Reader };

interface FilesDeps {
  readonly root: Root;
  readonly nearDisk: NearDisk;
  readonly etagOf: EtagOf;
  ask<Body>(question: FilesQuestion): Promise<PreparedBody<Body>>;
  readonly changes: Pick<Changes, 'apply'>;
}

/** Reads and writes agents' editable files. All methods throw `agent_not_found` and `root_unavailable`. */
export interface FilesService {
  /** Synchronous if the root is on a fast local disk. */
  read(id: string, name: EditableFile, reader: Reader): AgentFile | Promise<PreparedBody<AgentFile>>;
  /** Returns a file's text, or undefined if it's missing. Throws if dot-mi refuses to read it. */
  readText(id: string, name: EditableFile, reader: Reader): Promise<string | undefined>;
  /** Returns a file's text and etag, like {@link readText}. */
  readTagged(id: string, name: WrittenFile, reader: Reader): Promise<TaggedText | undefined>;
  /** Returns the facts about all editable files, but not their text. */
  inspect(id: string, reader: Reader): FileInfos | Promise<FileInfos>;
  write(id: string, name: WrittenFile, content: string, conditions: WriteConditions): Promise<FileWritten>;
  /**
   * Returns the item that replaces a file's text by the result of `change`, and is refused with `file_changed` if the
   * conditions don't hold. Undefined means that the file is missing.
   */
  edit(
    id: string,
    name: WrittenFile,
    conditions: WriteConditions,
    change: (text: string | undefined) => string | undefined,
  ): ChangeItem;
  /** Writes files as one change. Returns their new etags. Throws the first error, such as `file_changed`. */
  writeAll(
    label: string,
    id: string,
    files: readonly { readonly file: WrittenFile; readonly content: string; readonly ifMatch: string }[],
  ): Promise<string[]>;
  readonly access: FilesAccess;
}

const statTarget = async (agent: DirectoryHandle, name: WrittenFile): Promise<Stats | undefined> => {
  let stats: Stats;
  try {
    stats = await agent.lstat(name);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  // SECURITY: writing through a link could change any file.
  if (stats.isSymbolicLink()) {
    throw new AppError(
      'linked_file',
      `${name} is a symlink, and dot-mi never writes through a symlink. Edit its target instead.`,
    );
  }
  if (!stats.isFile()) {
    throw new AppError(
      'not_a_file',
      `${name} is not a regular file. Remove it or move it somewhere else, then try again.`,
    );
  }
  return stats;
};

export const createFilesService = ({ root, nearDisk, etagOf, ask, changes }: FilesDeps): FilesService => {
  const place = { root, etagOf };
  const ofThread = async <T>(question: FilesQuestion): Promise<T> =>
    JSON.parse((await ask<T>(question)).json.toString()) as T;

  const readNear = (id: string, name: WrittenFile) =>
    nearDisk.read(() => readAgentFile(place, id, name, undefined));

  const snapshot = (id: string, name: WrittenFile, reader: Reader): FileSnapshot | Promise<FileSnapshot> =>
    readNear(id, name) ?? ofThread({ snapshotOf: id, name, reader });

  const access: FilesAccess = {
    async read(agent, id, name) {
      const target = await statTarget(agent, name);
      if (!target) return MISSING;
      // Refuses a file that isn't readable as text, so that no save can damage it.
      const found = readableOf(await snapshot(id, name, OPERATOR_READER));
      return found ? { is: 'file', text: found.file.content, mode: target.mode & 0o777 } : MISSING;
    },

    async write(agent, id, name, before, after, recorded) {
      /** Other programs don't use our lock. This comes last, so that they can interfere only during the rename. */
      const verify = async () => {
        await recorded;
        if (!isSameState(await access.read(agent, id, name), before)) throw new PathChangedError();
      };
      if (after.is === 'missing') {
        await verify();
        await agent.unlink(name);
        return MISSING;
      }
      if (after.is !== 'file') throw new Error(`${name} is a file`);
      const target = await statTarget(agent, name);
      try {
        await removeLeftoverTemps(agent, isWrittenFile);
        await writeFileIn(agent, name, Buffer.from(after.text, 'utf8'), {
          // SECURITY: these can contain secrets, and other users can often read a root.
          mode: target?.mode ?? after.mode ?? (isFormFile(name) ? 0o600 : undefined),
          owner: target,
          exclusive: before.is === 'missing',
          beforeReplace: verify,
        });
      } catch (error) {
        if (systemCode(error) === 'EEXIST') throw new PathChangedError();
        if (isNotFound(error)) throw agentNotFound(id);
        throw error;
      }
      return after;
    },
  };

  const etagIn = (state: PathState): string | undefined =>
    state.is === 'file' ? etagOf(Buffer.from(state.text, 'utf8')) : undefined;

  const requireFits = (name: WrittenFile, text: string) => {
    if (Buffer.byteLength(text) > MAX_FILE_BYTES)
      throw new AppError(
        'file_too_large',
        `${name} was not written because it would exceed the limit of 2 MiB. Shorten it.`,
      );
  };

  const edit: FilesService['edit'] = (id, name, conditions, change) => ({
    path: `agents/${id}/${name}`,
    plan(before) {
      requireConditions(conditions, name, etagIn(before));
      const text = change(before.is === 'file' ? before.text : undefined);
      if (text === undefined) return MISSING;
      requireFits(name, text);
      return { is: 'file', text };
    },
  });

  return {
    read(id, name, reader) {
      const near = readNear(id, name);
      return near ? fileIn(near, name) : ask({ fileOf: id, name, reader });
    },

    readText: async (id, name, reader) => readableOf(await snapshot(id, name, reader))?.file.content,

    async readTagged(id, name, reader) {
      const text = readableOf(await snapshot(id, name, reader));
      return text && { content: text.file.content, etag: text.etag };
    },

    inspect: (id, reader) =>
      nearDisk.read(() => readFileInfos(place, id, undefined)) ?? ofThread({ infosOf: id, reader }),

    async write(id, name, content, conditions) {
      requireFits(name, content);
      let isNew = false;
      const item = edit(id, name, conditions, (before) => {
        isNew = before === undefined;
        return content;
      });
      stateAfter(await changes.apply(`Edit ${name}`, [item]));
      return { ok: true, etag: etagOf(Buffer.from(content, 'utf8')), created: isNew };
    },

    async writeAll(label, id, files) {
      const items = files.map(({ file, content, ifMatch }) => edit(id, file, { ifMatch }, () => content));
      const { outcomes } = await changes.apply(label, items);
      for (const outcome of outcomes) if (outcome.is === 'refused') throw outcome.error;
      return files.map(({ content }) => etagOf(Buffer.from(content, 'utf8')));
    },

    edit,
    access,
  };
};
