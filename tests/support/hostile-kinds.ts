import { execFileSync } from 'node:child_process';
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

// What an attacker can put in the place of a file or directory of a root.

/** Kinds that a reader treats alike. */
export type KindGroup = 'outside' | 'nothing' | 'other' | 'huge' | 'closed';

/** Something hostile in the place of a file or a directory. */
export interface HostileKind {
  /** For the record. */
  readonly id: string;
  /** Continues "… that is". */
  readonly name: string;
  readonly group: KindGroup;
  /** What is in this place otherwise. */
  readonly instead: 'file' | 'directory' | 'both';
  /** Puts it there. Nothing is there, except for the group `closed`. */
  put(path: string, place: string): Promise<void>;
  /** Takes it away again. */
  take(path: string): Promise<void>;
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

/** Why there is no such kind here, printed once. */
const leftOut = (what: string, why: string): undefined => {
  process.stdout.write(`Without ${what}: ${why}\n`);
};

const attempt = (what: string, make: () => unknown): true | undefined => {
  try {
    make();
    return true;
  } catch (error) {
    return leftOut(what, String(error).split('\n')[0] ?? '');
  }
};

/** Ends whatever waits for a pipe, so that one reader that waits fails alone. */
const releasePipe = async (path: string): Promise<void> => {
  const pipe = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
  await pipe.close();
};

/**
 * Creates the kinds. `outside` has whatever is in the root, at the same paths. `store` is an empty directory in the same
 * file system as the root, and outside it. `closedTo`: why nothing can be closed to the server, if so.
 */
export const makeHostileKinds = async (outside: string, store: string, closedTo: string | undefined) => {
  const kinds: HostileKind[] = [];
  const add = (
    id: string,
    name: string,
    group: KindGroup,
    instead: HostileKind['instead'],
    put: HostileKind['put'],
    take: HostileKind['take'] = unlink,
  ) => void kinds.push({ id, name, group, instead, put, take });
  /** Something that takes a while to make is made once, and moved. */
  const addStored = (id: string, name: string, group: KindGroup, instead: HostileKind['instead']) => {
    const kept = join(store, id);
    add(
      id,
      name,
      group,
      instead,
      (path) => rename(kept, path),
      (path) => rename(path, kept),
    );
  };

  await writeFile(join(outside, 'a-file'), 'zq7secret');
  await mkdir(join(outside, 'a-directory'));
  await writeFile(join(outside, 'a-directory/zq7secret.md'), 'zq7secret');

  // Relative, so that an answer with the absolute path can only have resolved it.
  const linkTo = (target: string) => (path: string) => symlink(relative(dirname(path), target), path);
  const outsideFile = linkTo(join(outside, 'a-file'));
  const outsideDirectory = linkTo(join(outside, 'a-directory'));
  const samePlace = (path: string, place: string) => linkTo(join(outside, place))(path);
  await symlink('a-file', join(outside, 'a-link'));
  add('link-to-file', 'a link to a file outside the root', 'outside', 'file', samePlace);
  add('link-to-directory', 'a link to a directory outside the root', 'outside', 'directory', samePlace);
  add('link-to-directory', 'a link to a directory outside the root', 'outside', 'file', outsideDirectory);
  add('link-to-file', 'a link to a file outside the root', 'outside', 'directory', outsideFile);
  add(
    'link-to-link',
    'a link to a link outside the root',
    'outside',
    'both',
    linkTo(join(outside, 'a-link')),
  );
  add(
    'link-to-nothing',
    'a link to nothing outside the root',
    'outside',
    'both',
    linkTo(join(outside, 'nothing')),
  );
  add('link-to-device', 'a link to /dev/zero', 'outside', 'both', (path) => symlink('/dev/zero', path));
  add('loop', 'a link to itself', 'nothing', 'both', (path) => symlink(basename(path), path));
  add('broken', 'a broken link', 'nothing', 'both', (path) => symlink('nowhere', path));

  await mkdir(join(store, 'directory'));
  await writeFile(join(store, 'directory/a.md'), 'x');
  addStored('directory', 'a directory', 'other', 'file');
  await writeFile(join(store, 'file'), 'A file.\n');
  addStored('file', 'a file', 'other', 'directory');
  const pipe = join(store, 'pipe');
  if (attempt('pipes', () => execFileSync('mkfifo', [pipe])))
    add(
      'pipe',
      'a named pipe',
      'other',
      'both',
      (path) => rename(pipe, path),
      async (path) => {
        await releasePipe(path);
        await rename(path, pipe);
      },
    );
  const socket = createServer();
  if (process.platform === 'win32') leftOut('sockets', 'Windows has none in directories');
  else {
    await new Promise<void>((resolve) => socket.listen(join(store, 'socket'), resolve));
    socket.unref();
    addStored('socket', 'a Unix socket', 'other', 'both');
  }
  const device = join(store, 'device');
  if (attempt('device nodes', () => execFileSync('mknod', [device, 'c', '1', '5'], { stdio: 'pipe' }))) {
    await chmod(device, 0o666);
    addStored('device', 'a device node', 'other', 'both');
  }
  await writeFile(join(store, 'sparse'), '');
  await truncate(join(store, 'sparse'), SPARSE_BYTES);
  addStored('sparse', 'a sparse file of 10 GB', 'huge', 'both');

  if (closedTo !== undefined) leftOut('unreadable files', closedTo);
  else
    add(
      'unreadable',
      'unreadable',
      'closed',
      'both',
      (path) => chmod(path, 0),
      async (path) => chmod(path, (await lstat(path)).isDirectory() ? 0o755 : 0o644),
    );

  const names: HostileName[] = [
    {
      name: 'a name of 255 bytes',
      bytes: (suffix) => Buffer.from('n'.repeat(MOST_NAME_BYTES - suffix.length) + suffix),
    },
    {
      name: 'a name that is not UTF-8',
      bytes: (suffix) => Buffer.concat([Buffer.from([0x6e, 0xff, 0xfe]), Buffer.from(suffix)]),
    },
  ];
  const close = () => new Promise((resolve) => socket.close(resolve));
  return { kinds, names, close };
};

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
