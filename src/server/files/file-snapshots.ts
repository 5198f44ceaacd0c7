import type { BigIntStats, Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { FileInfo } from '../../shared/api/agents.ts';
import type { ErrorCode } from '../../shared/api/errors.ts';
import type { AgentFile } from '../../shared/api/files.ts';
import { EDITABLE_FILES, type EditableFile, MAX_FILE_BYTES } from '../../shared/api/names.ts';
import { requireAgent } from '../platform/agent-directory.ts';
import { AppError, isNotFound, replaced, systemCode } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { etagOf } from '../platform/etag.ts';
import { fingerprintOf, isSettled } from '../platform/fingerprint.ts';
import type { QuickLooks } from '../platform/quick-looks.ts';
import { decodeUtf8, readRegular } from '../platform/regular-file.ts';
import { isInside, type Root } from '../platform/root.ts';
import { createSharedReads } from '../platform/shared-reads.ts';
import { takeFileSignature, takeSignature } from './agent-signature.ts';
import type { Signatures } from './signatures.ts';

/**
 * An editable file as it was on disk at one moment. Frozen, and the same object while nothing changes.
 *
 * - `missing`: nothing is there.
 * - `text`: it can be read and edited.
 * - `refused`: something is there that is not a text file of this root; `code` and `message` say why.
 */
export type FileSnapshot = { readonly info: FileInfo } & (
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly file: AgentFile; readonly etag: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string }
);

type FileInfos = Readonly<Record<EditableFile, FileInfo>>;

/** Reads the editable files of agents. Reads a file again only after a change. */
export interface FileSnapshots {
  /**
   * Returns the state after the request arrived that asks for it, or after this call with `now`, as for a write.
   * Throws `agent_not_found`, `root_unavailable`.
   */
  read(id: string, name: EditableFile, when: 'arrival' | 'now'): Promise<FileSnapshot>;
  /** The same at once, if a look on the main thread finds the file unchanged. */
  unchanged(id: string, name: EditableFile): FileSnapshot | undefined;
  /** Returns the infos of all editable files of an agent: the same object while nothing changes, and then at once. */
  inspect(id: string): FileInfos | Promise<FileInfos>;
  /** Returns the text of a file, or undefined if it is missing. Throws if dot-mi refuses to read it. */
  readText(id: string, name: EditableFile): Promise<string | undefined>;
}

/** The size of a cached snapshot, in UTF-16 code units. */
const sizeOf = (snapshot: FileSnapshot) =>
  (snapshot.kind === 'text' ? snapshot.file.content.length : 0) + 256;

/** The most text in each cache of unchanged files, in UTF-16 code units. */
const CACHE_SIZE = 32 * 1024 * 1024;
const MAX_AGENTS = 10_000;
const UNREADABLE: FileInfo = Object.freeze({ exists: true, size: null, modifiedAt: null, etag: null });
const MISSING: FileSnapshot = Object.freeze({
  kind: 'missing',
  info: Object.freeze({ exists: false, size: null, modifiedAt: null, etag: null }),
});

const refused = (code: ErrorCode, message: string, info = UNREADABLE): FileSnapshot =>
  Object.freeze({ kind: 'refused', code, message, info });

const toSnapshot = (name: EditableFile, bytes: Buffer, modifiedAtMs: number): FileSnapshot => {
  const modifiedAt = new Date(modifiedAtMs).toISOString();
  const notText = (what: string) =>
    refused('not_text', `${name} ${what}, so it is not a text file and can't be edited here.`, {
      ...UNREADABLE,
      size: bytes.length,
      modifiedAt,
    });
  if (bytes.includes(0)) return notText('contains NUL bytes');
  const content = decodeUtf8(bytes);
  if (content === undefined) return notText('is not UTF-8');
  const etag = etagOf(bytes);
  return Object.freeze({
    kind: 'text',
    etag,
    file: Object.freeze({ path: name, content, missing: false, etag, modifiedAt }),
    info: Object.freeze({ exists: true, size: bytes.length, modifiedAt, etag }),
  });
};

const notAFile = (name: EditableFile) =>
  refused('not_a_file', `${name} is not a regular file. Remove it or move it away, then try again.`);

const tooLarge = (name: EditableFile, { size, mtime }: Stats) =>
  refused('file_too_large', `${name} is larger than the limit of 2 MiB. Edit it with another program.`, {
    ...UNREADABLE,
    size,
    modifiedAt: mtime.toISOString(),
  });

const readFile = async (name: EditableFile, path: string, realRoot: string): Promise<FileSnapshot> => {
  const read = await readRegular(path, { inside: [realRoot], maxBytes: MAX_FILE_BYTES });
  if ('bytes' in read) return toSnapshot(name, read.bytes, read.stats.mtimeMs);
  return read.problem === 'not-a-file' ? notAFile(name) : tooLarge(name, read.stats);
};

const readThroughLink = async (name: EditableFile, path: string, realRoot: string): Promise<FileSnapshot> => {
  try {
    const target = await realpath(path);
    // SECURITY: never show a link's target outside the root, not even its size.
    if (isInside(realRoot, target)) return await readFile(name, target, realRoot);
    return refused(
      'outside_root',
      `${name} is a symlink to a place outside the root, so dot-mi doesn't read it.`,
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return refused(
      'file_not_found',
      `${name} is a symlink whose target doesn't exist. Remove or repair it.`,
      MISSING.info,
    );
  }
};

/** A file that the system doesn't let us read. It fails alone, so that the agent's other files stay usable. */
const notPermitted = (name: EditableFile) =>
  refused(
    'permission_denied',
    `${name} can't be read because the operating system denies access. Check its owner and mode.`,
  );

const readOnce = async (name: EditableFile, path: string, stats: BigIntStats, realRoot: string) => {
  try {
    if (stats.isSymbolicLink()) return await readThroughLink(name, path, realRoot);
    if (!stats.isFile()) return notAFile(name);
    return await readFile(name, path, realRoot);
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return notPermitted(name);
    throw error;
  }
};

/** On Windows, a virus scanner can hold a file for a moment, which looks like a lack of permission. */
const canKeep = (snapshot: FileSnapshot | undefined): boolean =>
  snapshot?.kind !== 'refused' || snapshot.code !== 'permission_denied';

const lstatOrMissing = async (path: string): Promise<BigIntStats | undefined> => {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Another program may be writing in place. If every attempt sees a change, the last read counts. */
const READ_ATTEMPTS = 3;

/** Creates the {@link FileSnapshots} of a root. */
export const createFileSnapshots = (
  root: Root,
  clock: Clock,
  signatures: Signatures,
  quickLooks: QuickLooks,
): FileSnapshots => {
  const reads = createSharedReads<FileSnapshot>();
  const inspections = createSharedReads<{ infos: FileInfos; canKeep: boolean }>();
  /** Contents, by path and fingerprint of the file. */
  const contents = new LRUCache<string, { fingerprint: string; snapshot: FileSnapshot }>({
    maxSize: CACHE_SIZE,
    sizeCalculation: ({ snapshot }) => sizeOf(snapshot),
  });
  /** Answers, by the signature of the file. While that stays the same, it isn't read. */
  const files = new LRUCache<
    string,
    { signature: string; device: bigint | undefined; snapshot: FileSnapshot }
  >({
    maxSize: CACHE_SIZE,
    sizeCalculation: ({ snapshot }) => sizeOf(snapshot),
  });
  /** Agents that were read before. */
  const answered = new LRUCache<string, true>({ max: MAX_AGENTS });
  const infos = new LRUCache<string, { signature: string; device: bigint | undefined; infos: FileInfos }>({
    max: MAX_AGENTS,
  });

  const look = async (id: string, name: EditableFile, realRoot: string): Promise<FileSnapshot> => {
    const path = join(root.agent(id), name);
    for (let attempt = 1; ; attempt++) {
      const readAtMs = clock.now();
      const stats = await lstatOrMissing(path);
      if (!stats) return MISSING;
      const fingerprint = fingerprintOf(stats);
      const known = contents.get(path);
      if (known?.fingerprint === fingerprint.text) return known.snapshot;
      try {
        const snapshot = await readOnce(name, path, stats, realRoot);
        const after = await lstatOrMissing(path);
        const unchanged = after && fingerprintOf(after).text === fingerprint.text;
        if (!unchanged && attempt < READ_ATTEMPTS) continue;
        // A link's target can change without the link.
        const keep =
          unchanged && !stats.isSymbolicLink() && isSettled(fingerprint, readAtMs) && canKeep(snapshot);
        if (keep) contents.set(path, { fingerprint: fingerprint.text, snapshot });
        return snapshot;
      } catch (error) {
        // Replaced or removed between the two calls: look again.
        if (!isNotFound(error) && systemCode(error) !== 'ESTALE') throw error;
        if (attempt === READ_ATTEMPTS) throw replaced(path);
      }
    }
  };

  const readNow = (id: string, name: EditableFile) =>
    reads.read(`${id}/${name}`, async () => look(id, name, await requireAgent(root, id)));

  const inspectNow = (id: string) =>
    inspections.read(id, async () => {
      const realRoot = await requireAgent(root, id);
      const snapshots = await Promise.all(EDITABLE_FILES.map((name) => look(id, name, realRoot)));
      const found = EDITABLE_FILES.map((name, i) => [name, snapshots[i]?.info]);
      const infos = Object.freeze(Object.fromEntries(found)) as FileInfos;
      return { infos, canKeep: snapshots.every(canKeep) };
    });

  /**
   * Takes a signature to cache an answer under, before the files are read. A change in between has a newer
   * time, so the agent never has this signature again.
   */
  const signatureOf = async (id: string) => {
    const device = await quickLooks.device();
    const isNew = device !== undefined && !answered.has(id);
    answered.set(id, true);
    // The first answer has the system read everything. Looking is quick from then on, and needs no thread.
    if (isNew) return undefined;
    const takenAtMs = clock.now();
    const signature =
      device === undefined
        ? await signatures.of(id)
        : quickLooks.run(undefined, device, () => takeSignature(root, id));
    return signature && { ...signature, canKeep: isSettled(signature, takenAtMs) };
  };

  const unchanged = (id: string, name: EditableFile, when: 'arrival' | 'now' = 'arrival') => {
    const key = `${id}/${name}`;
    const known = files.get(key);
    const look = () => takeFileSignature(root, id, name);
    const now = known && quickLooks.run(when === 'now' ? undefined : `file ${key}`, known.device, look);
    return known && now === known.signature ? known.snapshot : undefined;
  };

  const read: FileSnapshots['read'] = async (id, name, when) => {
    const same = unchanged(id, name, when);
    if (same) return same;
    const key = `${id}/${name}`;
    const known = files.get(key);
    const signature = await signatureOf(id);
    if (signature && known?.signature === signature.files[name]) return known.snapshot;
    const snapshot = await readNow(id, name);
    if (signature?.canKeep && canKeep(snapshot))
      files.set(key, { signature: signature.files[name], device: signature.device, snapshot });
    return snapshot;
  };

  const inspectAgain = async (id: string): Promise<FileInfos> => {
    const known = infos.get(id);
    const signature = await signatureOf(id);
    if (signature && known?.signature === signature.text) return known.infos;
    const found = await inspectNow(id);
    if (signature?.canKeep && found.canKeep)
      infos.set(id, { signature: signature.text, device: signature.device, infos: found.infos });
    return found.infos;
  };

  return {
    read,
    unchanged,
    readText: async (id, name) => textOf(await read(id, name, 'now'))?.file.content,

    inspect(id) {
      const known = infos.get(id);
      const now = known && quickLooks.run(`files ${id}`, known.device, () => takeSignature(root, id));
      return known && now?.text === known.signature ? known.infos : inspectAgain(id);
    },
  };
};

/** Returns a snapshot with text, or undefined if the file is missing. Throws if dot-mi refused to read it. */
export const textOf = (snapshot: FileSnapshot): (FileSnapshot & { kind: 'text' }) | undefined => {
  if (snapshot.kind === 'refused') throw new AppError(snapshot.code, snapshot.message);
  return snapshot.kind === 'text' ? snapshot : undefined;
};
