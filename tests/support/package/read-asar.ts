/**
 * Lets plain Node run code from an app.asar, threads included (`--require`). Electron does this inside Node's own
 * file system. This stand-in covers only the calls that dot-mi makes on the archive, so a program that needs any
 * other file or call fails here.
 */
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { extractFile, statFile } from '@electron/asar';

const NAME = `${sep}app.asar${sep}`;

interface Place {
  archive: string;
  path: string;
}

/** Where in which archive a path points, or undefined for the real disk. */
const placeOf = (given: unknown): Place | undefined => {
  const path = given instanceof URL ? fileURLToPath(given) : given;
  if (typeof path !== 'string') return undefined;
  const absolute = normalize(path);
  const at = absolute.indexOf(NAME);
  if (at < 0) return undefined;
  return { archive: absolute.slice(0, at + NAME.length - 1), path: absolute.slice(at + NAME.length) };
};

const inArchive = <T>({ archive, path }: Place, read: (archive: string, path: string) => T): T => {
  try {
    return read(archive, path);
  } catch {
    throw Object.assign(new Error(`ENOENT: ${join(archive, path)}`), { code: 'ENOENT' });
  }
};

const readPlace = (place: Place): Buffer => inArchive(place, extractFile);

/** The stats of the archive file, with the size of the file in it. */
const statPlace = (place: Place): fs.Stats => {
  const entry = inArchive(place, statFile);
  const isDirectory = 'files' in entry;
  return Object.assign(fs.statSync(place.archive), {
    size: 'size' in entry ? entry.size : 0,
    isFile: () => !isDirectory,
    isDirectory: () => isDirectory,
  });
};

const { readFileSync, existsSync } = fs;
Object.assign(fs, {
  readFileSync(...args: Parameters<typeof readFileSync>) {
    const [path, options] = args;
    const place = placeOf(path);
    if (!place) return readFileSync(...args);
    const encoding = typeof options === 'string' ? options : options?.encoding;
    return encoding ? readPlace(place).toString(encoding) : readPlace(place);
  },
  existsSync(path: fs.PathLike) {
    const place = placeOf(path);
    if (!place) return existsSync(path);
    try {
      return statPlace(place) !== undefined;
    } catch {
      return false;
    }
  },
});
const { readFile } = fs.promises;
Object.assign(fs.promises, {
  readFile: async (...args: Parameters<typeof readFile>) => {
    const place = placeOf(args[0]);
    return place ? readPlace(place) : readFile(...args);
  },
});
syncBuiltinESMExports();

const urlOf = (specifier: string, parent: string | undefined): URL | undefined => {
  if (specifier.startsWith('.')) return parent === undefined ? undefined : new URL(specifier, parent);
  if (specifier.startsWith('file:')) return new URL(specifier);
  return specifier.includes(NAME) ? pathToFileURL(specifier) : undefined;
};

registerHooks({
  resolve(specifier, context, next) {
    const url = urlOf(specifier, context.parentURL);
    if (!url || !placeOf(url)) return next(specifier, context);
    const format = extname(url.pathname) === '.cjs' ? 'commonjs' : 'module';
    return { url: url.href, format, shortCircuit: true };
  },
  load(url, context, next) {
    const place = url.startsWith('file:') ? placeOf(new URL(url)) : undefined;
    if (!place) return next(url, context);
    return { format: context.format, source: readPlace(place), shortCircuit: true };
  },
});
