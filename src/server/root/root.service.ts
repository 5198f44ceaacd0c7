import { mkdir, readdir, stat } from 'node:fs/promises';
import { isAbsolute, normalize } from 'node:path';
import type { RootCheck } from '../../shared/api/root.ts';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import type { LinkSystem } from '../platform/create-link.ts';
import { expandHome } from '../platform/home.ts';
import { countAgents, createRoot, type Root } from '../platform/root.ts';
import { plantStarterRoot } from '../starter-root.ts';

/** Checks directories that may become the root, and sets them up. */
interface RootService {
  check(path: string): Promise<RootCheck>;
  /** Adds the directory's missing parts. Returns the names of what it added. Throws `not_a_directory`. */
  setUp(path: string | undefined): Promise<{ path: string; created: string[] }>;
}

interface RootDeps {
  /** The current root. */
  root: Root;
  homeDirectory: string;
  /** The path of the starter root's template. */
  template: string;
  /** Trusts dot-mi's own setup script in a root, and checks the current root again. */
  trust: { trustPlanted(path: string): Promise<void>; read(): Promise<unknown> };
  linkSystem?: LinkSystem | undefined;
  /** Returns why a directory can't be a root, because it and dot-mi's own data overlap. */
  overlapOf(path: string): string | undefined;
}

/** The names of the setup scripts, and of a root's directories. */
const SCRIPTS = ['dotpi', 'setup.sh'];

/** Returns whether this is an entry that systems, version control and dot-mi create in every directory. */
const isIncidental = (name: string): boolean =>
  ['.git', '.dot-mi', '.ds_store', 'desktop.ini', 'thumbs.db', '.localized'].includes(name.toLowerCase());

const namesIn = (path: string): Promise<string[] | undefined> =>
  readdir(path).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });

export const createRootService = ({
  root,
  homeDirectory,
  template,
  trust,
  linkSystem,
  overlapOf,
}: RootDeps): RootService => {
  const absolute = (text: string, field: string): string => {
    const path = normalize(expandHome(text.trim(), homeDirectory));
    const message = isAbsolute(path)
      ? overlapOf(path)
      : `"${text}" is not an absolute path. Enter the full path of the root.`;
    if (message === undefined) return path;
    throw new AppError('invalid_request', message, { issues: [{ path: field, message }] });
  };

  const requireDirectory = async (path: string): Promise<void> => {
    const notADirectory = new AppError('not_a_directory', `"${path}" is not a folder. Choose a folder.`);
    const stats = await stat(path).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw isNotFound(error) ? notADirectory : error;
    });
    if (stats && !stats.isDirectory()) throw notADirectory;
    if (stats) return;
    await mkdir(path).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      const message = `"${path}" can’t be created because the folder above it doesn’t exist. Create that folder first.`;
      throw new AppError('invalid_request', message, { issues: [{ path: 'body.path', message }] });
    });
  };

  return {
    async check(text) {
      const path = absolute(text, 'query.path');
      const names = await namesIn(path);
      return {
        path,
        exists: names !== undefined,
        empty: names?.every(isIncidental) ?? false,
        agents: names ? await countAgents(createRoot(path)) : null,
        setupScript: names?.some((name) => SCRIPTS.includes(name)) ?? false,
      };
    },

    async setUp(text) {
      const path = text === undefined ? root.path : absolute(text, 'body.path');
      await requireDirectory(path);
      const created = await plantStarterRoot(path, template, isIncidental, linkSystem);
      if (created.includes('setup.sh')) {
        await trust.trustPlanted(path);
        // If this is the current root, the health response then reports that the root is ready.
        await trust.read().catch(() => undefined);
      }
      return { path, created };
    },
  };
};
