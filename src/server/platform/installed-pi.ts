import { access, constants, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NEWEST_PI, PI_VERSIONS, type PiVersion } from '../../pi/flags.ts';
import { canOthersReplace, placesIn } from './open-to-others.ts';

/** The maximum number of levels between a package's directory and its program. */
const MAX_PARENTS = 6;

/** The names of pi's command. On Windows, npm also writes `pi.cmd`. */
const PROGRAM_NAMES = process.platform === 'win32' ? ['pi', 'pi.cmd', 'pi.exe'] : ['pi'];

/** The directories where npm puts packages on Windows, next to their programs. */
const WINDOWS_PACKAGES = ['@earendil-works', '@mariozechner'].map((scope) =>
  join('node_modules', scope, 'pi-coding-agent'),
);

/** A pi on the search path. */
export interface InstalledPi {
  /** The package's directory, which pi's own prompt names. Undefined if this pi isn't in a package. */
  readonly directory?: string;
  /** The package's version, such as `1.6.0`. */
  readonly version?: string;
  /**
   * The program that starts it and its first arguments, all by their absolute paths. Undefined if another user of this
   * computer could replace the program, so dot-mi doesn't run it.
   */
  readonly command?: readonly [string, ...string[]];
}

interface PiPackage extends Omit<InstalledPi, 'command'> {
  /** The script that the command starts. */
  readonly script?: string;
}

const piPackageAt = async (directory: string): Promise<PiPackage | undefined> => {
  try {
    const text = await readFile(join(directory, 'package.json'), 'utf8');
    const { name, version, bin } = JSON.parse(text) as {
      name?: unknown;
      version?: unknown;
      bin?: { pi?: unknown };
    };
    if (typeof name !== 'string' || !name.endsWith('/pi-coding-agent')) return undefined;
    return {
      directory,
      ...(typeof version === 'string' ? { version } : {}),
      ...(typeof bin?.pi === 'string' ? { script: join(directory, bin.pi) } : {}),
    };
  } catch {
    return undefined;
  }
};

/** Returns the path of a regular file that can be executed, with its path without links. */
const programAt = async (path: string) => {
  try {
    const real = await realpath(path);
    await access(real, constants.X_OK);
    return (await stat(real)).isFile() ? { path, real } : undefined;
  } catch {
    return undefined;
  }
};

const firstProgram = async (paths: readonly string[]) => {
  for (const path of paths) {
    const program = await programAt(path);
    if (program) return program;
  }
  return undefined;
};

/** Returns the path of the first program of this name that no other user can replace. Runs nothing. */
export const findProgram = async (name: string, searchPath: string): Promise<string | undefined> => {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const place of placesIn(searchPath)) {
    const program = await programAt(join(place, file));
    if (program && !(await canOthersReplace(program.path))) return program.path;
  }
  return undefined;
};

const packageOf = async (place: string, program: string): Promise<PiPackage> => {
  let directory = dirname(program);
  for (let parents = 0; parents < MAX_PARENTS; parents++) {
    const found = await piPackageAt(directory);
    if (found) return found;
    directory = dirname(directory);
  }
  for (const path of WINDOWS_PACKAGES) {
    const found = await piPackageAt(join(place, path));
    if (found) return found;
  }
  return {};
};

/** Returns what starts a program. Windows starts command files only in a shell, which would interpret arguments. */
const commandOf = async (
  program: string,
  { script }: PiPackage,
  places: readonly string[],
): Promise<InstalledPi['command']> => {
  if (process.platform !== 'win32' || program.toLowerCase().endsWith('.exe')) return [program];
  const node = await firstProgram([dirname(program), ...places].map((place) => join(place, 'node.exe')));
  return node && script !== undefined ? [node.path, script] : undefined;
};

/**
 * Finds the first pi on a search path that nobody else can replace, or else the first one, without its command. Runs
 * nothing.
 */
const findPi = async (searchPath: string): Promise<InstalledPi | undefined> => {
  const places = placesIn(searchPath);
  let unsafe: InstalledPi | undefined;
  for (const place of places) {
    const program = await firstProgram(PROGRAM_NAMES.map((name) => join(place, name)));
    if (!program) continue;
    const { script, ...found } = await packageOf(place, program.real);
    const command = await commandOf(
      program.path,
      { ...found, ...(script === undefined ? {} : { script }) },
      places,
    );
    // SECURITY: pi runs with the person's permissions, so nobody else may choose it.
    if (command && !(await canOthersReplace(program.path))) return { ...found, command };
    unsafe ??= found;
  }
  return unsafe;
};

/** Returns the newest known pi version up to the installed one, or the newest of all if that's unknown. */
export const knownVersionOf = (pi: InstalledPi | undefined): PiVersion => {
  const numbersOf = (version: string) => version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const [major = 0, minor = 0] = numbersOf(pi?.version ?? NEWEST_PI);
  const isReached = (version: PiVersion): boolean => {
    const [knownMajor = 0, knownMinor = 0] = numbersOf(version);
    return major > knownMajor || (major === knownMajor && minor >= knownMinor);
  };
  return PI_VERSIONS.findLast(isReached) ?? PI_VERSIONS[0];
};

/** Finds the installed pi. Undefined if it isn't on the search path. Never rejects. */
export type PiFinder = () => Promise<InstalledPi | undefined>;

/**
 * Creates a {@link PiFinder} for the search path that `readSearchPath` returns. Concurrent calls share one search, so
 * that a slow disk on the path blocks at most one pool thread.
 */
export const createPiFinder = (readSearchPath: () => Promise<string>): PiFinder => {
  let running: Promise<InstalledPi | undefined> | undefined;
  return () => {
    running ??= readSearchPath()
      .then(findPi)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
};
