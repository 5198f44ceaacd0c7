import type { Stats } from 'node:fs';
import type { AgentFile, FileWritten } from '../../shared/api/files.ts';
import {
  type EditableFile,
  isWrittenFile,
  MAX_FILE_BYTES,
  type WrittenFile,
} from '../../shared/api/names.ts';
import { agentNotFound, withAgent } from '../platform/agent-directory.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { removeLeftoverTemps, writeFileIn } from '../platform/atomic-write.ts';
import { OPERATOR_READER, type Reader } from '../platform/caller.ts';
import type { DirectoryHandle } from '../platform/directory-handle.ts';
import type { EtagOf } from '../platform/etag.ts';
import type { TaggedText } from '../platform/form-file.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import { isFormFile } from '../platform/may-read.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { Root } from '../platform/root.ts';
import { fileChanged, requireConditions, type WriteConditions } from '../platform/write-conditions.ts';
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
  /** Locked by agent id during every change to an agent's directory. */
  readonly agentLock: KeyedLock;
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
  /** Removes a file if its etag still matches. Throws `file_changed`. */
  remove(id: string, name: WrittenFile, etag: string): Promise<void>;
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

/** Creates {@link FilesService}. */
export const createFilesService = ({ root, nearDisk, etagOf, ask, agentLock }: FilesDeps): FilesService => {
  const place = { root, etagOf };
  const ofThread = async <T>(question: FilesQuestion): Promise<T> =>
    JSON.parse((await ask<T>(question)).json.toString()) as T;

  const readNear = (id: string, name: WrittenFile) =>
    nearDisk.read(() => readAgentFile(place, id, name, undefined));

  const snapshot = (id: string, name: WrittenFile, reader: Reader): FileSnapshot | Promise<FileSnapshot> =>
    readNear(id, name) ?? ofThread({ snapshotOf: id, name, reader });

  /** Refuses a file that isn't readable as text, so that no save can damage it. */
  const currentEtag = async (id: string, name: WrittenFile) =>
    // A link is refused before its etag matters.
    readableOf(await snapshot(id, name, OPERATOR_READER))?.etag;

  const writeInto = async (
    agent: DirectoryHandle,
    id: string,
    name: WrittenFile,
    bytes: Buffer,
    conditions: WriteConditions,
  ): Promise<FileWritten> => {
    const target = await statTarget(agent, name);
    const etag = target ? await currentEtag(id, name) : undefined;
    requireConditions(conditions, name, etag);

    try {
      await removeLeftoverTemps(agent, isWrittenFile);
      await writeFileIn(agent, name, bytes, {
        // SECURITY: these can contain secrets, and other users can often read a root.
        mode: target?.mode ?? (isFormFile(name) ? 0o600 : undefined),
        owner: target,
        exclusive: conditions.ifNoneMatch !== undefined && !target,
        // Other programs don't use our lock. Check again, so that they can interfere only during the rename.
        beforeReplace: async () => {
          await statTarget(agent, name);
          if (conditions.ifMatch !== undefined)
            requireConditions(conditions, name, await currentEtag(id, name));
        },
      });
    } catch (error) {
      if (systemCode(error) === 'EEXIST') throw fileChanged(name, await currentEtag(id, name));
      if (isNotFound(error)) throw agentNotFound(id);
      throw error;
    }
    return { ok: true, etag: etagOf(bytes), created: !target };
  };

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

    remove: (id, name, etag) =>
      agentLock.run(id, () =>
        withAgent(root, id, async (agent) => {
          const target = await statTarget(agent, name);
          requireConditions({ ifMatch: etag }, name, target ? await currentEtag(id, name) : undefined);
          await agent.unlink(name);
        }),
      ),

    inspect: (id, reader) =>
      nearDisk.read(() => readFileInfos(place, id, undefined)) ?? ofThread({ infosOf: id, reader }),

    async write(id, name, content, conditions) {
      const bytes = Buffer.from(content, 'utf8');
      if (bytes.length > MAX_FILE_BYTES) {
        throw new AppError(
          'file_too_large',
          `${name} was not written because it would exceed the limit of 2 MiB. Shorten it.`,
        );
      }
      return agentLock.run(id, () =>
        withAgent(root, id, (agent) => writeInto(agent, id, name, bytes, conditions)),
      );
    },
  };
};
