import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { interpretationLimit } from '../../pi/interpret.ts';
import type { PiDisk, PiEntry } from '../../pi/skills-seen-by-pi.ts';
import { isWrittenFile, MAX_FILE_BYTES } from '../../shared/api/names.ts';
import { isNotFound, systemCode } from './app-error.ts';
import type { Reader } from './caller.ts';
import { fingerprintOf, mayKeepRead } from './fingerprint.ts';
import { listAnywhere, statIfThere } from './list-directory.ts';
import { hiddenText, isFormFile, mayRead, placeKind, type ReadLimits } from './may-read.ts';
import { listInside } from './open-inside.ts';
import { plainText, readRegularSync } from './regular-file.ts';
import { resolvedPlace } from './resolves-outside.ts';
import { isInside } from './root.ts';

/** The limit for the text of all files in one prompt, in UTF-16 code units. pi-args can name a large file many times. */
const MOST_PROMPT_TEXT = 8 * 1024 * 1024;

/** The limit for cached text, in UTF-16 code units. */
const KEPT = 16 * 1024 * 1024;

interface Text {
  readonly text: string;
  /** Why an editor refuses the file, as a verb phrase. */
  readonly notPlain: string | undefined;
}

interface KnownText extends Text {
  readonly fingerprint: string;
}

/** Caches the text of files, by path. */
export type KnownTexts = LRUCache<string, KnownText>;

/** Creates the cache that all disks from {@link createPiDisk} share. */
export const createKnownTexts = (): KnownTexts =>
  new LRUCache({ maxSize: KEPT, sizeCalculation: ({ text }) => text.length + 256 });

/** A file that dot-mi doesn't read. The reason is a verb phrase to follow the file's name in a sentence. */
interface UnreadableFile {
  readonly path: string;
  readonly reason: string;
}

/** The disk as pi sees it, and the files that dot-mi left out. */
export interface ReportingDisk extends PiDisk {
  /** Returns whether something outside the root was left out, because only the operator sees it. */
  readonly hasRefused: () => boolean;
  /** Counts a path that the agent's files name as refused if it ends outside, whether or not it exists. */
  readonly refuseOutside: (path: string) => void;
  /** Returns whether a path exists. SECURITY: true for a link out of the root, so that nothing says whether that does. */
  readonly isThere: (path: string) => boolean;
  /** Returns whether the reader sees the content of a path, judged by where the path ends. */
  readonly isShown: (path: string) => boolean;
  /**
   * Returns text for the reader: itself, or {@link hiddenText} if the reader doesn't see the path's content. `written` is
   * the path as the agent's files name it.
   */
  readonly shown: (path: string, text: string, written?: string) => string;
  /** Reads a file whose text is part of the prompt. Leaves it out if the prompt would be too long with it. */
  readonly readPart: (path: string) => string | undefined;
  /** Reads only what a reader sees, and the agent's forms, for facts that shape the whole prompt. */
  readonly facts: PiDisk;
  /** Returns whether `facts` left out something in the root. */
  readonly hasHidden: () => boolean;
  /** Reports a file that can't be used. */
  readonly leaveOut: (path: string, reason: string) => void;
  /** The files that exist but can't be read, each with the reason. */
  readonly unreadable: readonly UnreadableFile[];
}

const NOT_A_FILE = 'is not a regular file';

/** Reads a regular file, or returns the reason why it can't. */
const readText = (
  path: string,
  inside: readonly string[] | undefined,
): Text | { readonly reason: string } => {
  const read = readRegularSync(path, { inside, isExact: inside !== undefined, maxBytes: MAX_FILE_BYTES });
  if ('problem' in read)
    return { reason: read.problem === 'too-large' ? 'is larger than the limit of 2 MiB' : NOT_A_FILE };
  const plain = plainText(read.bytes);
  // Bytes that aren't UTF-8 become replacement characters, as in pi.
  return 'text' in plain
    ? { text: plain.text, notPlain: undefined }
    : { text: read.bytes.toString('utf8'), notPlain: plain.reason };
};

/**
 * Creates the disk for one prompt or one list of packages. Its functions block, so use it in a thread.
 *
 * SECURITY: for the operator, it also reads files outside the root, because pi does. For others, those count as
 * missing. Whatever the root has can be read here, because hidden text counts too. So text that a response shows must
 * go through `shown`. Logins and dot-mi's own data are never read.
 */
export const createPiDisk = (
  reader: Reader,
  limits: ReadLimits,
  texts: KnownTexts,
  nowMs: number,
): ReportingDisk => {
  const top = reader.kind === 'operator' ? undefined : limits.root;
  const inside = top === undefined ? undefined : [top];
  const unreadable: UnreadableFile[] = [];
  let refused = false;
  let left = MOST_PROMPT_TEXT;

  /** The paths of entries that aren't links, and the resolved paths of directories. */
  const plain = new Set<string>();
  const resolved = new Map<string, string>();

  const resolve = (path: string): string => {
    // Don't resolve an entry that isn't a link, because the system would check each directory above it.
    if (plain.has(path)) return join(realPath(dirname(path)), basename(path));
    try {
      return realpathSync.native(path);
    } catch {
      return resolvedPlace(path);
    }
  };

  const realPath = (path: string): string => {
    const known = resolved.get(path) ?? resolve(path);
    resolved.set(path, known);
    return known;
  };

  const isAllowed = (path: string): boolean => {
    const allowed = top === undefined || isInside(top, realPath(path));
    if (!allowed) refused = true;
    return allowed;
  };

  /**
   * Returns whether a link in the root takes a path out of it, and then counts the path as refused.
   *
   * SECURITY: before anything looks whether the target exists, so that no prompt says that.
   */
  const leavesRoot = (path: string): boolean => {
    if (top === undefined || isInside(top, realPath(path))) return false;
    let above = dirname(path);
    while (!isInside(top, realPath(above)) && above !== dirname(above)) above = dirname(above);
    const leaves = isInside(top, realPath(above));
    refused ||= leaves;
    return leaves;
  };

  const attempt = <T>(path: string, read: () => T | undefined): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (systemCode(error) === 'ESTALE') refused = true;
      else if (!isNotFound(error)) unreadable.push({ path, reason: 'can’t be read' });
      return undefined;
    }
  };

  const isShown = (path: string): boolean => mayRead(reader, realPath(path), limits) === 'yes';

  const kindOf = (path: string): PiEntry['kind'] => {
    if (leavesRoot(path)) return extname(path) === '' ? 'directory' : 'file';
    const stats = attempt(path, () => statIfThere(path));
    return stats?.isDirectory() ? 'directory' : stats?.isFile() ? 'file' : 'other';
  };

  let hidden = false;
  /** A form can be read as one. SECURITY: a prompt that is a link to a form can't. */
  const mayBeFact = (path: string): boolean =>
    isFormFile(basename(path)) && placeKind(realPath(path), limits) === 'form';

  const read = (path: string): Text | undefined =>
    attempt(path, () => {
      // SECURITY: what is kept, read and shown is judged by one resolution, because another user can swap a link at
      // any moment. `readText` refuses a path that contains a link by then.
      const real = realPath(path);
      if (leavesRoot(path)) return undefined;
      const stats = statIfThere(real);
      if (!stats?.isFile()) {
        if (stats && isWrittenFile(basename(path)) && isAllowed(path))
          unreadable.push({ path, reason: NOT_A_FILE });
        return undefined;
      }
      if (!isAllowed(path)) return undefined;
      // SECURITY: prompts are shown, and pi-args or a link can name a file with logins.
      const kind = placeKind(real, limits);
      if (kind === 'login' || kind === 'own') {
        unreadable.push({ path, reason: 'holds logins' });
        return undefined;
      }
      const fingerprint = fingerprintOf(stats);
      // Some files are only for the operator, so the key includes `top`.
      const key = `${top ?? ''}\0${real}`;
      const known = texts.get(key);
      if (known?.fingerprint === fingerprint.text) return known;
      const found = readText(real, inside);
      if ('reason' in found) {
        unreadable.push({ path, reason: found.reason });
        return undefined;
      }
      if (mayKeepRead(fingerprint, nowMs)) texts.set(key, { fingerprint: fingerprint.text, ...found });
      return found;
    });

  /** Reads a file of text, with the same limits as the lists. */
  const readWithin = (path: string, refusal: (read: Text) => string | undefined): string | undefined => {
    const found = read(path);
    const reason = found && (refusal(found) ?? interpretationLimit(basename(path), found.text));
    if (reason === undefined) return found?.text;
    unreadable.push({ path, reason });
    return undefined;
  };

  const disk: PiDisk = {
    join,
    realPath,
    list: (directory) =>
      attempt(directory, () => {
        if (leavesRoot(directory)) return undefined;
        // A missing directory doesn't count as refused.
        if (inside && !statIfThere(directory)?.isDirectory()) return undefined;
        if (!isAllowed(directory)) return undefined;
        const entries = inside ? listInside(inside, directory) : listAnywhere(directory);
        return entries.map((entry): PiEntry => {
          const { name } = entry;
          if (entry.isSymbolicLink()) return { name, kind: kindOf(join(directory, name)) };
          plain.add(join(directory, name));
          return { name, kind: entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : 'other' };
        });
      }),
    readSkill: (path) => read(path)?.text,
    // The editor and the checks refuse NUL bytes too.
    readText: (path) =>
      readWithin(path, ({ text }) => (text.includes('\0') ? 'contains NUL bytes' : undefined)),
  };
  return {
    ...disk,
    unreadable,
    leaveOut: (path, reason) => unreadable.push({ path, reason }),
    hasRefused: () => refused,
    refuseOutside: (path) => void isAllowed(path),
    isThere: (path) => leavesRoot(path) || existsSync(path),
    isShown,
    shown: (path, text, written = path) => (text === '' || isShown(path) ? text : hiddenText(written)),
    hasHidden: () => hidden,
    readPart(path) {
      const text = disk.readText(path);
      if (text === undefined) return undefined;
      if (text.length > left) {
        unreadable.push({ path, reason: 'exceeds the limit of 8 MiB for all files of a prompt' });
        return undefined;
      }
      left -= text.length;
      return text;
    },
    facts: {
      ...disk,
      readText(path) {
        const isOwn = isWrittenFile(basename(path));
        if (isShown(path) || mayBeFact(path))
          return isOwn ? readWithin(path, ({ notPlain }) => notPlain) : disk.readText(path);
        if (disk.readText(path) !== undefined) hidden = true;
        return undefined;
      },
    },
  };
};
