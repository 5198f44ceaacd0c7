import { access, readFile, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { PI_VERSIONS, type PiVersion } from '../../shared/pi/flags.ts';

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
  /** The package's version, such as `1.5.2`. */
  readonly version?: string;
  /** The script that the command starts. Windows needs it, because command files start only in a shell. */
  readonly script?: string;
}

const piPackageAt = async (directory: string): Promise<InstalledPi | undefined> => {
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

const programIn = async (place: string): Promise<string | undefined> => {
  for (const name of PROGRAM_NAMES) {
    try {
      const program = await realpath(join(place, name));
      await access(program);
      return program;
    } catch {
      // This directory has no pi by that name.
    }
  }
  return undefined;
};

/** Finds the first pi on a search path, as a shell would. Runs nothing. */
const findPi = async (searchPath: string): Promise<InstalledPi | undefined> => {
  for (const place of searchPath.split(delimiter).filter((path) => path !== '')) {
    const program = await programIn(place);
    if (program === undefined) continue;
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
  }
  return undefined;
};

/** Returns the newest known pi version up to the installed one, or the newest of all if that's unknown. */
export const knownVersionOf = (pi: InstalledPi | undefined): PiVersion => {
  const numbersOf = (version: string) => version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const [major = 0, minor = 0] = numbersOf(pi?.version ?? PI_VERSIONS[PI_VERSIONS.length - 1] ?? '');
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
