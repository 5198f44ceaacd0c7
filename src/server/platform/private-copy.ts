import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { parsePiArgs } from '../../pi/pi-args.ts';
import { isSecretOrRunFile } from '../../shared/api/names.ts';
import { AppError, isNotFound, systemCode } from './app-error.ts';
import {
  type DirectoryHandle,
  openDirectory,
  withDirectory,
  withDirectoryBelow,
} from './directory-handle.ts';
import { mayBeLinked, placeKind } from './may-read.ts';
import { decodeUtf8 } from './regular-file.ts';
import { isInside, type Root } from './root.ts';

/** What {@link copyPrivately} copies, and where. */
interface CopyRequest {
  readonly root: Root;
  readonly agent: string;
  /** The absolute path of the copy, which doesn't exist yet. */
  readonly to: string;
  /** The resolved directories of dot-mi's own data, which no agent can reach. */
  readonly ownData: readonly string[];
  readonly homeDirectory: string;
}

/** More than any agent needs, so that a link to a home directory doesn't fill the disk. */
const MOST_FILES = 50_000;
const MOST_BYTES = 512 * 1024 * 1024;
/** The longest file in which paths are replaced. pi reads no longer ones in practice. */
const MOST_TEXT_BYTES = 4 * 1024 * 1024;

/** The agent's files that can name other files. */
const NAMING_FILES = ['pi-args', 'settings.json', 'models.json', 'mcp.json'] as const;

/** The lists in settings.json whose entries are paths, unless they name a package of npm or git. */
const PATH_LISTS = ['extensions', 'skills', 'prompts', 'themes', 'packages'] as const;

/** The flags in pi-args whose value is the path of a file or directory. */
const PATH_FLAGS: ReadonlySet<string> = new Set([
  '--extension',
  '--skill',
  '--prompt-template',
  '--theme',
  '--system-prompt',
  '--append-system-prompt',
]);

const notSellable = (message: string): AppError => new AppError('service_failed', message);

const PRIVATE = 0o700;

/**
 * Copies an agent and what it reaches: its files, the targets of its links, its packages, and the files that its settings
 * and arguments name. The copy is a small root, in which all links and names point into the copy. Secrets and the files of
 * runs stay where they are.
 *
 * SECURITY: others can write to the root, but not to the copy. So nothing that is written later reaches a customer.
 * Returns the places out of the root that were copied, which somebody else may have named.
 *
 * Throws `agent_not_found`, `root_unavailable` and `service_failed`, with a sentence for the operator.
 */
export const copyPrivately = async ({
  root,
  agent,
  to,
  ownData,
  homeDirectory,
}: CopyRequest): Promise<string[]> => {
  const realRoot = await realpath(root.path);
  const agentPath = join(realRoot, 'agents', agent);
  /** The places that were copied, with their paths in the copy. A directory's place includes what is in it. */
  const copied = new Map<string, string>();
  let files = 0;
  let bytes = 0;
  /** What was copied from places out of the root, by their paths. */
  const outside: string[] = [];

  const count = (more: number) => {
    files += 1;
    bytes += more;
    if (files > MOST_FILES || bytes > MOST_BYTES)
      throw notSellable(
        `With all that its links reach, this agent has more than ${MOST_FILES} files or ${MOST_BYTES / 1024 / 1024} MiB. Remove links to large directories.`,
      );
  };

  const knownPlace = (real: string): string | undefined => {
    for (let above = real; ; above = dirname(above)) {
      const place = copied.get(above);
      if (place !== undefined) return join(place, relative(above, real));
      if (above === dirname(above)) return undefined;
    }
  };

  const copyFileTo = async (name: string, from: DirectoryHandle, path: string) => {
    const source = await from.openFile(name);
    try {
      const stats = await source.stat();
      if (!stats.isFile()) return;
      count(stats.size);
      const copy = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        await copy.writeFile(source.createReadStream({ autoClose: false }));
        // SECURITY: no set-id bits, and nothing for others.
        await copy.chmod(stats.mode & PRIVATE);
      } finally {
        await copy.close();
      }
    } catch (error) {
      // It was copied with a place inside of this one.
      if (systemCode(error) !== 'EEXIST') throw error;
    } finally {
      await source.close();
    }
  };

  /** Copies what a link or a path leads to, and returns where that is in the copy. Undefined for a broken link. */
  const copyTarget = async (link: string): Promise<{ path: string; isDirectory: boolean } | undefined> => {
    const target = await realpath(link).catch((error: unknown) => {
      if (isNotFound(error) || systemCode(error) === 'ELOOP') return undefined;
      throw error;
    });
    if (target === undefined) return undefined;
    const isHidden = isInside(realRoot, target)
      ? !isInside(agentPath, target) && !mayBeLinked(link, target, realRoot)
      : placeKind(target, { root: realRoot, ownData }) === 'own';
    if (isHidden)
      throw notSellable(
        `An agent for sale can’t use "${relative(realRoot, link)}", because of what it points to. Replace it with a copy.`,
      );
    return { path: await place(target), isDirectory: (await lstat(target)).isDirectory() };
  };

  const copyEntry = async (name: string, from: DirectoryHandle, real: string, path: string) => {
    const stats = await from.lstat(name);
    if (stats.isSymbolicLink()) {
      const target = await copyTarget(join(real, name));
      if (target === undefined) return;
      // A junction, on Windows, needs an absolute path.
      const text = process.platform === 'win32' ? target.path : relative(dirname(path), target.path);
      await symlink(text, path, target.isDirectory ? 'junction' : 'file').catch((error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error;
      });
    } else if (stats.isDirectory())
      await withDirectory(from.open(name), (child) => copyDirectory(child, join(real, name), path));
    else if (stats.isFile()) await copyFileTo(name, from, path);
  };

  const copyDirectory = async (from: DirectoryHandle, real: string, path: string): Promise<void> => {
    count(0);
    await mkdir(path, { recursive: true, mode: PRIVATE });
    for (const { name } of await from.list()) {
      if (name === '.git' || (real === agentPath && isSecretOrRunFile(name))) continue;
      await copyEntry(name, from, real, join(path, name)).catch((error: unknown) => {
        // Another program removed it meanwhile.
        if (!isNotFound(error)) throw error;
      });
    }
  };

  /** Copies a file or directory, which is given without links. Returns its path in the copy. */
  const place = async (real: string): Promise<string> => {
    const known = knownPlace(real);
    if (known !== undefined) return known;
    if (isInside(real, realRoot) || isInside(real, homeDirectory))
      throw notSellable(
        real === realRoot
          ? 'The agent’s files name the whole root, which is too much to copy. Name a file or directory in it.'
          : 'The agent’s files name a directory that contains the root or your home directory. That is too much to copy.',
      );
    const isIn = isInside(realRoot, real);
    const path = isIn
      ? join(to, relative(realRoot, real))
      : join(to, 'outside', String(outside.push(real)), basename(real));
    copied.set(real, path);
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE });
    // SECURITY: in the root, others can swap directories for links, so each one is opened from the one above.
    const [start, names] = isIn
      ? [realRoot, relative(realRoot, dirname(real)).split(sep).filter(Boolean)]
      : [dirname(real), []];
    await withDirectory(openDirectory(start), (directory) =>
      withDirectoryBelow(directory, names, (parent) =>
        copyEntry(basename(real), parent, dirname(real), path),
      ),
    );
    return path;
  };

  /** Returns the longest part of a path that exists. */
  const existingPart = (path: string): string => {
    for (let part = path; ; part = dirname(part)) if (existsSync(part) || part === dirname(part)) return part;
  };

  /** Replaces the root's path in a text with the copy's, and copies what it names. */
  const withoutRoot = async (text: string): Promise<string> => {
    let replaced = text;
    const inJson = (path: string) => JSON.stringify(path).slice(1, -1);
    for (const rootPath of new Set([realRoot, root.path])) {
      for (const written of new Set([rootPath, inJson(rootPath)])) {
        const parts = replaced.split(written);
        for (const [index, rest] of parts.entries()) {
          if (index === 0) continue;
          // Another path begins with the same letters.
          if (/^[\w.-]/.test(rest)) continue;
          const [named = ''] = rest.split(/["'\n\r\t,;:=]/);
          await copyTarget(existingPart(join(realRoot, named.replaceAll('\\\\', '\\').trimEnd())));
        }
        replaced = parts.reduce((before, rest) =>
          /^[\w.-]/.test(rest)
            ? `${before}${written}${rest}`
            : `${before}${written === rootPath ? to : inJson(to)}${rest}`,
        );
      }
    }
    return replaced;
  };

  /** Copies what a path names that isn't in the agent's directory. Returns the path to write instead, if another one. */
  const placeNamed = async (named: string, base: string | undefined): Promise<string | undefined> => {
    const home = /^~(?=$|[\\/])/;
    const written = home.test(named) ? named.replace(home, homeDirectory) : named;
    if (base === undefined && !isAbsolute(written)) return undefined;
    const path = resolve(base ?? '/', written);
    if (!existsSync(path)) return undefined;
    const real = await realpath(path);
    if (isInside(agentPath, real) || isInside(to, real)) return undefined;
    const target = await copyTarget(path);
    // A relative name leads to the same place in the copy, if that is in the root.
    return target !== undefined && (isAbsolute(written) || !isInside(realRoot, real))
      ? target.path
      : undefined;
  };

  const namesInSettings = (text: string): string[] => {
    try {
      const settings = JSON.parse(text) as Record<string, unknown>;
      return PATH_LISTS.flatMap((list) => settings[list] ?? []).flatMap((entry) => {
        const name = typeof entry === 'object' && entry !== null && 'source' in entry ? entry.source : entry;
        return typeof name === 'string' ? [name] : [];
      });
    } catch {
      // pi can't read it either.
      return [];
    }
  };

  const namesInArgs = (text: string): string[] =>
    parsePiArgs(text).flatMap((use) =>
      use.kind === 'flag' && PATH_FLAGS.has(use.flag.name) && 'value' in use && use.value
        ? [use.value.text]
        : [],
    );

  const replaceNames = async (name: (typeof NAMING_FILES)[number]) => {
    const path = join(to, 'agents', agent, name);
    if (!existsSync(path)) return;
    const real = await realpath(path);
    const stats = await lstat(real);
    if (!stats.isFile() || stats.size > MOST_TEXT_BYTES) return;
    const before = await readFile(real, 'utf8');
    let text = await withoutRoot(before);
    if (name === 'settings.json')
      for (const named of namesInSettings(text)) {
        const instead = await placeNamed(named, agentPath);
        if (instead !== undefined)
          text = text.replaceAll(JSON.stringify(named), () => JSON.stringify(instead));
      }
    if (name === 'pi-args')
      for (const named of namesInArgs(text)) {
        const instead = await placeNamed(named, undefined);
        if (instead !== undefined)
          text = text
            .split(/(\s+)/)
            .map((part) => (part === named ? instead : part))
            .join('');
      }
    if (text !== before) await writeFile(real, text, { mode: 0o600 });
  };

  await place(agentPath);
  for (const name of NAMING_FILES) await replaceNames(name);
  return outside;
};

/** How many files are flushed at once, because a disk flushes them together. */
const FLUSHED_TOGETHER = 16;

const flush = async (path: string): Promise<void> => {
  const isWindows = process.platform === 'win32';
  // Windows flushes only what can be written to, and no directories.
  if (isWindows && (await stat(path)).isDirectory()) return;
  const handle = await open(path, isWindows ? 'r+' : 'r').catch((error: unknown) => {
    // pi can't read it either.
    if (systemCode(error) === 'EACCES') return undefined;
    throw error;
  });
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
};

/** Returns the paths of a copy's directories and files. Each directory follows what is in it. */
const placesIn = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { withFileTypes: true });
  const places: string[] = [];
  for (const entry of entries) {
    const place = join(path, entry.name);
    if (entry.isDirectory()) places.push(...(await placesIn(place)));
    else if (entry.isFile()) places.push(place);
  }
  return [...places, path];
};

/**
 * Flushes a private copy and the directories above it, up to `home`, so that a crash leaves all of it. Call this before it
 * replaces another one.
 */
export const flushCopy = async (copy: string, home: string): Promise<void> => {
  const places = await placesIn(copy);
  for (let from = 0; from < places.length; from += FLUSHED_TOGETHER)
    await Promise.all(places.slice(from, from + FLUSHED_TOGETHER).map(flush));
  for (let above = dirname(copy); isInside(home, above); above = dirname(above)) await flush(above);
};

/** Returns the text of a file in a private copy, or undefined if it has none. */
export const readInCopy = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });

/** Returns the names in a directory of a private copy, sorted. Empty if there is none. */
export const listInCopy = async (path: string): Promise<string[]> => {
  const names = await readdir(path).catch((error: unknown) => {
    if (isNotFound(error)) return [];
    throw error;
  });
  return names.sort();
};

/** Moves a directory of private copies. */
export const moveCopy = (from: string, to: string): Promise<void> => rename(from, to);

/** Removes a private copy. */
export const removeCopy = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3 });

/** A file that differs between two copies of an agent. */
interface CopyChange {
  /** The path in the copy, with "/". */
  readonly path: string;
  readonly change: 'added' | 'changed' | 'removed';
  /** The text before and after. Null if there is none, or if it's binary or long. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The limit for compared files that have a text, and for listed ones. */
const MOST_COMPARED_BYTES = 64 * 1024;
const MOST_CHANGES = 200;

/** Returns the entries of a copy with what identifies their content: a hash, or a link's text. */
const contentsOf = async (copy: string, path = ''): Promise<Map<string, string>> => {
  const contents = new Map<string, string>();
  for (const name of await listInCopy(join(copy, path))) {
    const entry = path === '' ? name : `${path}/${name}`;
    const stats = await lstat(join(copy, entry));
    if (stats.isDirectory())
      for (const [key, value] of await contentsOf(copy, entry)) contents.set(key, value);
    else if (stats.isSymbolicLink()) contents.set(entry, `link ${await readlink(join(copy, entry))}`);
    else
      contents.set(
        entry,
        createHash('sha256')
          .update(await readFile(join(copy, entry)))
          .digest('hex'),
      );
  }
  return contents;
};

const comparedText = async (path: string): Promise<string | null> => {
  if (!existsSync(path)) return null;
  const stats = await stat(path);
  if (!stats.isFile() || stats.size > MOST_COMPARED_BYTES) return null;
  return decodeUtf8(await readFile(path)) ?? null;
};

/** Returns what differs between two private copies of one agent, sorted by path, at most 200 files. */
export const compareCopies = async (before: string, after: string): Promise<CopyChange[]> => {
  const [old, now] = await Promise.all([contentsOf(before), contentsOf(after)]);
  // A copy's own path is in the files that named the root.
  const isSame = async (path: string) => {
    if (old.get(path) === now.get(path)) return true;
    const [a, b] = await Promise.all([comparedText(join(before, path)), comparedText(join(after, path))]);
    return a !== null && b !== null && a.replaceAll(before, '') === b.replaceAll(after, '');
  };
  const changes: CopyChange[] = [];
  for (const path of [...new Set([...old.keys(), ...now.keys()])].sort()) {
    if (changes.length === MOST_CHANGES) break;
    if (old.has(path) && now.has(path) && (await isSame(path))) continue;
    changes.push({
      path,
      change: !old.has(path) ? 'added' : now.has(path) ? 'changed' : 'removed',
      before: await comparedText(join(before, path)),
      after: await comparedText(join(after, path)),
    });
  }
  return changes;
};
