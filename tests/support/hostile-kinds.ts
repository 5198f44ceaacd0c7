import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join, relative } from 'node:path';
import { noUnprivilegedUser } from './nobody.ts';
import { makeSharedDirectory } from './temp.ts';

// What an attacker can put in the place of a file or directory of a root.

/** Kinds that a reader treats alike. */
export type KindGroup = 'outside' | 'nothing' | 'other' | 'huge' | 'closed';

/** Where something hostile is put. */
interface Target {
  readonly path: string;
  /** The path, relative to the root. */
  readonly place: string;
  /** A private directory with `OUTSIDE` of hostile-tree.ts. */
  readonly outside: string;
  /** Where `make` made it: in the same file system as the root, and outside it. */
  readonly kept: string;
}

/** Something hostile in the place of a file or a directory. */
export interface HostileKind {
  /** For the record. */
  readonly id: string;
  /** Continues "… that is". */
  readonly name: string;
  readonly group: KindGroup;
  /** What is in this place otherwise. */
  readonly instead: 'file' | 'directory' | 'both';
  /** Makes once what `put` needs, or fails and says why this system can't. A socket listens until the signal. */
  make?(kept: string, ended: AbortSignal): Promise<void>;
  /** Puts it there. Nothing is there, except for the group `closed`. */
  put(target: Target): Promise<void>;
  /** Takes it away again. */
  take(target: Target): Promise<void>;
}

/** Names that an attacker can add to a directory. */
export interface HostileName {
  /** Continues "… in which is". */
  readonly name: string;
  readonly bytes: (suffix: string) => Buffer;
}

/** Endings that make a reader look into a file. */
const SUFFIXES = ['', '.md', '.ts', '.json', '.jsonl'];
const MOST_NAME_BYTES = 255;
const SPARSE_BYTES = 10 * 1024 ** 3;

const link = (
  id: string,
  name: string,
  group: KindGroup,
  instead: HostileKind['instead'],
  to: (target: Target) => string,
): HostileKind => ({
  id,
  name,
  group,
  instead,
  put: (target) => symlink(to(target), target.path),
  take: ({ path }) => unlink(path),
});

// Relative, so that an answer with the absolute path can only have resolved it.
const samePlace = ({ path, place, outside }: Target): string => relative(dirname(path), join(outside, place));
const outsideAt = (place: string) => (target: Target) => samePlace({ ...target, place });

/** Something that takes a while to make is made once, and moved. */
const stored = (
  id: string,
  name: string,
  group: KindGroup,
  instead: HostileKind['instead'],
  make: NonNullable<HostileKind['make']>,
): HostileKind => ({
  id,
  name,
  group,
  instead,
  make,
  put: ({ path, kept }) => rename(kept, path),
  take: ({ path, kept }) => rename(path, kept),
});

const makeDirectory = async (kept: string): Promise<void> => {
  await mkdir(kept);
  await writeFile(join(kept, 'a.md'), 'x');
};

const makePipe = async (kept: string): Promise<void> => {
  execFileSync('mkfifo', [kept], { stdio: 'pipe' });
};

/** Ends whatever waits for a pipe, so that one reader that waits fails alone. */
const releasePipe = async (path: string): Promise<void> => {
  const pipe = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
  await pipe.close();
};

const makeSocket = async (kept: string, ended: AbortSignal): Promise<void> => {
  if (process.platform === 'win32') throw new Error('Windows has none in directories');
  const socket = createServer().listen({ path: kept, signal: ended });
  socket.unref();
  await once(socket, 'listening');
};

const makeDevice = async (kept: string): Promise<void> => {
  execFileSync('mknod', [kept, 'c', '1', '5'], { stdio: 'pipe' });
  await chmod(kept, 0o666);
};

const makeSparse = async (kept: string): Promise<void> => {
  await writeFile(kept, '');
  await truncate(kept, SPARSE_BYTES);
};

const KINDS: readonly HostileKind[] = [
  link('link-to-file', 'a link to a file outside the root', 'outside', 'file', samePlace),
  link('link-to-directory', 'a link to a directory outside the root', 'outside', 'directory', samePlace),
  link(
    'link-to-directory',
    'a link to a directory outside the root',
    'outside',
    'file',
    outsideAt('a-directory'),
  ),
  link('link-to-file', 'a link to a file outside the root', 'outside', 'directory', outsideAt('a-file')),
  link('link-to-link', 'a link to a link outside the root', 'outside', 'both', outsideAt('a-link')),
  link('link-to-nothing', 'a link to nothing outside the root', 'outside', 'both', outsideAt('nothing')),
  link('link-to-device', 'a link to /dev/zero', 'outside', 'both', () => '/dev/zero'),
  link('loop', 'a link to itself', 'nothing', 'both', ({ path }) => basename(path)),
  link('broken', 'a broken link', 'nothing', 'both', () => 'nowhere'),
  stored('directory', 'a directory', 'other', 'file', makeDirectory),
  stored('file', 'a file', 'other', 'directory', (kept) => writeFile(kept, 'A file.\n')),
  {
    ...stored('pipe', 'a named pipe', 'other', 'both', makePipe),
    async take({ path, kept }) {
      await releasePipe(path);
      await rename(path, kept);
    },
  },
  stored('socket', 'a Unix socket', 'other', 'both', makeSocket),
  stored('device', 'a device node', 'other', 'both', makeDevice),
  stored('sparse', 'a sparse file of 10 GB', 'huge', 'both', makeSparse),
  {
    id: 'unreadable',
    name: 'unreadable',
    group: 'closed',
    instead: 'both',
    async make() {
      const why = noUnprivilegedUser();
      if (why !== undefined) throw new Error(why);
    },
    put: ({ path }) => chmod(path, 0),
    take: async ({ path }) => chmod(path, (await lstat(path)).isDirectory() ? 0o755 : 0o644),
  },
];

/** The kinds that can be made on this system. Prints why it leaves out another, and leaves nothing behind. */
export const possibleKinds = async (): Promise<readonly HostileKind[]> => {
  const { directory, remove } = await makeSharedDirectory();
  const ended = new AbortController();
  const possible: HostileKind[] = [];
  for (const kind of KINDS) {
    try {
      await kind.make?.(join(directory, kind.id), ended.signal);
      possible.push(kind);
    } catch (error) {
      process.stdout.write(`No place is ${kind.name}: ${(error as Error).message.trim()}\n`);
    }
  }
  ended.abort();
  await remove();
  return possible;
};

export const HOSTILE_NAMES: readonly HostileName[] = [
  {
    name: 'a name of 255 bytes',
    bytes: (suffix) => Buffer.from('n'.repeat(MOST_NAME_BYTES - suffix.length) + suffix),
  },
  {
    name: 'a name that is not UTF-8',
    bytes: (suffix) => Buffer.concat([Buffer.from([0x6e, 0xff, 0xfe]), Buffer.from(suffix)]),
  },
];

/** Adds files, directories and links with a hostile name to a directory. Returns a function that removes them. */
export const addHostileNames = async (directory: string, { bytes }: HostileName) => {
  const at = (name: Buffer) => Buffer.concat([Buffer.from(`${directory}/`), name]);
  const before = new Set(await namesIn(directory));
  const inner = at(bytes('.d'));
  await mkdir(inner);
  await writeFile(Buffer.concat([inner, Buffer.from('/SKILL.md')]), '---\nname: x\ndescription: y\n---\n');
  await writeFile(Buffer.concat([inner, Buffer.from('/index.ts')]), '');
  for (const suffix of SUFFIXES) await writeFile(at(bytes(suffix)), '{}\n');
  await symlink('nowhere', at(bytes('.l')));
  return async () => {
    for (const name of await namesIn(directory))
      if (!before.has(name)) await rm(at(Buffer.from(name, 'latin1')), { recursive: true, force: true });
  };
};

/** Names that need not be UTF-8. */
const namesIn = (directory: string): Promise<string[]> => readdir(directory, { encoding: 'latin1' });
