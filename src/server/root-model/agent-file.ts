import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { FileInfo } from '../../shared/api/agents.ts';
import type { ErrorCode } from '../../shared/api/errors.ts';
import type { AgentFile } from '../../shared/api/files.ts';
import {
  EDITABLE_FILES,
  type EditableFile,
  isEditableFile,
  isOptionalFile,
  MAX_FILE_BYTES,
  type WrittenFile,
} from '../../shared/api/names.ts';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { AppError, isNotFound, replaced, systemCode, unlessRefused } from '../platform/app-error.ts';
import { ANYONE_READER, type Reader } from '../platform/caller.ts';
import type { EtagOf } from '../platform/etag.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import { mayBeLinked, mayShowLinked, placeKind } from '../platform/may-read.ts';
import { withDirectoryInside } from '../platform/open-inside.ts';
import { type FileRead, plainText, readRegularSync } from '../platform/regular-file.ts';
import { placeInside } from '../platform/resolves-outside.ts';
import { isInside, type Root } from '../platform/root.ts';
import type { PathRecord } from './path-record.ts';

/**
 * A snapshot of a file that dot-mi writes, as plain data.
 *
 * - `missing`: it doesn't exist.
 * - `text`: it can be read and edited.
 * - `refused`: it isn't a text file in this root. `code` and `message` say why.
 */
export type FileSnapshot = { readonly info: FileInfo } & (
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly file: AgentFile; readonly etag: string }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      /** True if it's a link to a file that the reader doesn't see. */
      readonly isHidden?: true;
    }
);

/** Reads for the checks, which show no text of a file. Each reader gets only the findings about files that it sees. */
export const CHECKS_READER = 'checks';

/** Who a link is followed for. */
type Follower = Reader | typeof CHECKS_READER;

/** Facts about each of an agent's editable files, without the text. */
export type FileInfos = Readonly<Record<EditableFile, FileInfo>>;

/** The root that contains the files, and how their ETags are calculated. */
export interface FilesPlace {
  readonly root: Root;
  readonly etagOf: EtagOf;
}

const UNREADABLE: FileInfo = { exists: true, size: null, modifiedAt: null };
const MISSING: FileSnapshot = {
  kind: 'missing',
  info: { exists: false, size: null, modifiedAt: null },
};

const refused = (
  code: ErrorCode,
  message: string,
  info = UNREADABLE,
): Extract<FileSnapshot, { kind: 'refused' }> => ({
  kind: 'refused',
  code,
  message,
  info,
});

const toSnapshot = (name: WrittenFile, bytes: Buffer, mtime: Date, etagOf: EtagOf): FileSnapshot => {
  const modifiedAt = mtime.toISOString();
  const info = { exists: true, size: bytes.length, modifiedAt };
  const read = plainText(bytes);
  if ('reason' in read)
    return refused(
      'not_text',
      `${name} ${read.reason}, so it is not a text file and can’t be edited here.`,
      info,
    );
  const etag = etagOf(bytes);
  return {
    kind: 'text',
    etag,
    file: { path: name, content: read.text, missing: false, etag, modifiedAt },
    info,
  };
};

const notAFile = (name: WrittenFile) =>
  refused(
    'not_a_file',
    `${name} is not a regular file. Remove it or move it somewhere else, then try again.`,
  );

const toRead = (name: WrittenFile, read: FileRead, etagOf: EtagOf): FileSnapshot => {
  if ('bytes' in read) return toSnapshot(name, read.bytes, read.stats.mtime, etagOf);
  if (read.problem === 'not-a-file') return notAFile(name);
  return refused('file_too_large', `${name} is larger than the limit of 2 MiB. Edit it in another program.`, {
    ...UNREADABLE,
    size: read.stats.size,
    modifiedAt: read.stats.mtime.toISOString(),
  });
};

/**
 * Returns whether a reader sees a link's target as this file. `target` is in the root, without links. SECURITY: what an
 * agent's calls cost says what is in its models.json, so for others that can't be another agent's.
 */
const mayFollow = (reader: Follower, name: WrittenFile, target: string, realRoot: string): boolean => {
  if (reader === CHECKS_READER) return mayBeLinked(name, target, realRoot);
  if (mayShowLinked(reader, target, realRoot)) return true;
  if (isEditableFile(name) || placeKind(target, { root: realRoot, ownData: [] }) !== 'form') return false;
  return name !== 'models.json' || reader.kind === 'operator' || !isInside(join(realRoot, 'agents'), target);
};

const readThroughLink = (
  name: WrittenFile,
  path: string,
  realRoot: string,
  reader: Follower,
  etagOf: EtagOf,
): FileSnapshot => {
  const target = placeInside(path, [realRoot]);
  // SECURITY: never reveal anything about a link's target outside the root, not even whether it exists.
  if (target === undefined)
    return refused(
      'outside_root',
      `${name} is a symlink to a place outside the root, so dot-mi doesn’t read it. Replace it with a file.`,
    );
  if (!statIfThere(path))
    return refused(
      'file_not_found',
      `${name} is a symlink whose target doesn’t exist. Remove or repair it.`,
      MISSING.info,
    );
  if (!mayFollow(reader, name, target, realRoot))
    return {
      ...refused(
        'not_a_file',
        `${name} is a symlink to a file that dot-mi doesn’t show. Replace the symlink with a file.`,
      ),
      isHidden: true,
    };
  const read = { inside: [realRoot], isExact: true, maxBytes: MAX_FILE_BYTES };
  return toRead(name, readRegularSync(target, read), etagOf);
};

const isUnchanged = (before: Stats, after: Stats | undefined): boolean =>
  after !== undefined &&
  before.ino === after.ino &&
  before.size === after.size &&
  before.mtimeMs === after.mtimeMs &&
  before.ctimeMs === after.ctimeMs;

/** The maximum number of reads. If another program writes in place during every attempt, the last read counts. */
const READ_ATTEMPTS = 3;

/** The error for an unreadable file, which doesn't affect the agent's other files. */
const notPermitted = (name: WrittenFile) =>
  refused(
    'permission_denied',
    `${name} can’t be read because the operating system denies access. Check its owner and mode.`,
  );

const isDenied = (error: unknown): boolean => ['EACCES', 'EPERM'].includes(systemCode(error) ?? '');

/** Describes why a file can't be opened. Undefined if it was replaced or removed just now and should be read again. */
const readOther = (
  path: string,
  name: WrittenFile,
  realRoot: string,
  reader: Follower,
  etagOf: EtagOf,
  error: unknown,
): FileSnapshot | undefined => {
  const stats = unlessRefused(() => lstatIfThere(path));
  try {
    if (stats?.isSymbolicLink()) return readThroughLink(name, path, realRoot, reader, etagOf);
    if (stats && !stats.isFile()) return notAFile(name);
    throw error;
  } catch (again) {
    if (isDenied(again)) return notPermitted(name);
    if (!isNotFound(again) && systemCode(again) !== 'ESTALE') throw again;
    return stats ? undefined : MISSING;
  }
};

/** Returns undefined if the file is a link and there's no `reader` to follow it for. */
const readOne = (
  { root, etagOf }: FilesPlace,
  realRoot: string,
  id: string,
  name: WrittenFile,
  reader: Follower | undefined,
): FileSnapshot | undefined => {
  const path = join(realRoot, 'agents', id, name);
  for (let attempt = 1; ; attempt++) {
    try {
      // SECURITY: a path without links proves that the agent is its own directory. Compare the entire path from the
      // root, because another user may have swapped `agents`.
      const read = readRegularSync(path, { inside: [realRoot], isExact: true, maxBytes: MAX_FILE_BYTES });
      // Decode it first, because `bytes` is valid only until the next read.
      const snapshot = toRead(name, read, etagOf);
      const isLast = attempt === READ_ATTEMPTS || !('bytes' in read);
      if (isLast || isUnchanged(read.stats, lstatSync(path, { throwIfNoEntry: false }))) return snapshot;
    } catch (error) {
      requireAgentSync(root, id);
      if (!reader && lstatIfThere(path)?.isSymbolicLink()) return undefined;
      const other = readOther(path, name, realRoot, reader ?? ANYONE_READER, etagOf, error);
      if (other) return other;
      if (attempt === READ_ATTEMPTS) throw replaced(path);
    }
  }
};

/**
 * Reads one of an agent's files that dot-mi writes. Blocks for about 25 µs on a local disk. Doesn't cache the file,
 * because a cache could be stale. Without a `reader`, it returns undefined for a link, which may point to a slow disk.
 * A link shows its target only to a reader who sees that place.
 *
 * Throws `agent_not_found`, `root_unavailable` and the system's errors.
 */
export const readAgentFile = (
  place: FilesPlace,
  id: string,
  name: WrittenFile,
  reader: Follower | undefined,
): FileSnapshot | undefined => {
  const { path } = place.root;
  return readOne(place, unlessRefused(() => realpathSync.native(path)) ?? path, id, name, reader);
};

const infoOf = (stats: Stats): FileInfo =>
  stats.isFile() ? { exists: true, size: stats.size, modifiedAt: stats.mtime.toISOString() } : UNREADABLE;

/** Not {@link lstatIfThere}, whose times are cut to milliseconds where those of a read are rounded. */
const statsAt = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/**
 * Returns the facts about all of an agent's editable files, without reading them. Follows links as
 * {@link readAgentFile} does.
 */
export const readFileInfos = (
  place: FilesPlace,
  id: string,
  reader: Follower | undefined,
): FileInfos | undefined => {
  const realRoot = requireAgentSync(place.root, id);
  const agent = join(realRoot, 'agents', id);
  // SECURITY: exactly this directory, which can be swapped for a link by now.
  const look = () =>
    withDirectoryInside([agent], agent, (open) => EDITABLE_FILES.map((name) => statsAt(open.entry(name))));
  let stats: ReturnType<typeof look>;
  try {
    stats = look();
  } catch (error) {
    if (!isNotFound(error)) throw error;
    requireAgentSync(place.root, id);
    throw replaced(agent);
  }
  const infos: Partial<Record<EditableFile, FileInfo>> = {};
  for (const [at, name] of EDITABLE_FILES.entries()) {
    const own = stats[at];
    const info = own?.isSymbolicLink()
      ? readOne(place, realRoot, id, name, reader)?.info
      : own
        ? infoOf(own)
        : MISSING.info;
    if (!info) return undefined;
    infos[name] = info;
  }
  return infos as FileInfos;
};

/** Returns a snapshot with text, or undefined if the file is missing. Throws if dot-mi refused to read it. */
export const readableOf = (snapshot: FileSnapshot): (FileSnapshot & { kind: 'text' }) | undefined => {
  if (snapshot.kind === 'refused') throw new AppError(snapshot.code, snapshot.message);
  return snapshot.kind === 'text' ? snapshot : undefined;
};

const missingOptionalFile = (name: EditableFile): AgentFile => ({
  path: name,
  content: '',
  missing: true,
  etag: null,
  modifiedAt: null,
});

/** Returns a snapshot's file. Throws if it can't be shown. */
export const fileIn = (snapshot: FileSnapshot, name: EditableFile): AgentFile => {
  const text = readableOf(snapshot);
  if (text) return text.file;
  if (isOptionalFile(name)) return missingOptionalFile(name);
  throw new AppError('file_not_found', `${name} doesn’t exist yet. Save it to create it.`);
};

/**
 * Reads one of an agent's files for a list that is the same for all callers. Blocks. Throws `agent_not_found` and the
 * system's errors.
 */
export const readListedFile = (
  place: FilesPlace,
  id: string,
  name: WrittenFile,
  record: PathRecord,
  // SECURITY: all callers get the list, and a link may end at a file that only the operator sees.
  reader: Follower = ANYONE_READER,
): FileSnapshot => {
  // Most files are missing, and trying to open a missing one takes longer.
  if (!record.lstat(join(place.root.agent(id), name))) return MISSING;
  const snapshot = readAgentFile(place, id, name, reader);
  if (!snapshot) throw new Error('a link was not followed');
  return snapshot;
};
