import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type KnownRoot, listRoots } from '../../shared/api/roots.ts';
import type { Base, Feature } from '../feature.ts';
import { createJsonStore } from '../platform/json-store.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { countAgents, createRoot, isSamePath } from '../platform/root.ts';

const recentSchema = z.object({ path: z.string(), openedAt: z.iso.datetime() });

type RecentRoot = z.infer<typeof recentSchema>;

/** The roots, newest first. */
const store = createJsonStore(z.object({ roots: z.array(recentSchema) }));

/** How many roots to remember. Older ones are dropped. */
const MAX_RECENT = 10;
/** The usual names for a directory of agents in a home directory. */
const USUAL_NAMES = ['dot-mi', '.pi'];

/** Remembers the roots that the operator chose. */
interface RootsService {
  list(): Promise<KnownRoot[]>;
  /** Returns the paths of the roots that the operator chose before, newest first, without the current one. */
  recent(): Promise<string[]>;
  /** Records a chosen root. Never rejects, because losing one breaks nothing. */
  remember(path: string): Promise<void>;
}

type RootsDeps = Pick<Base, 'config' | 'root' | 'clock' | 'logger'>;

const isDirectory = async (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

const createRootsService = ({
  config: { dataDirectory, homeDirectory },
  root: { path: currentPath },
  clock,
  logger,
}: RootsDeps): RootsService => {
  const file = join(dataDirectory, 'data', 'recent-roots.json');
  const lock = createKeyedLock();

  const readRecent = async (): Promise<RecentRoot[]> => {
    try {
      // SECURITY: validate the file, because the page offers these directories as roots.
      return (await store.read(file))?.roots ?? [];
    } catch (error) {
      logger.warn({ err: error, file }, 'recent roots can’t be read');
      return [];
    }
  };

  const inspect = async (path: string, openedAt: string | null): Promise<KnownRoot[]> => {
    if (!(await isDirectory(path))) return [];
    const agents = await countAgents(createRoot(path)).catch(() => null);
    return [{ path, agents, openedAt, current: isSamePath(path, currentPath) }];
  };

  return {
    async list() {
      const recent = await readRecent();
      const isNew = (path: string): boolean => !recent.some((root) => isSamePath(root.path, path));
      const usual = USUAL_NAMES.map((name) => join(homeDirectory, name)).filter(isNew);
      const [chosen, found, current] = await Promise.all([
        Promise.all(recent.map(({ path, openedAt }) => inspect(path, openedAt))),
        Promise.all(usual.map((path) => inspect(path, null))),
        isNew(currentPath) ? inspect(currentPath, null) : [],
      ]);
      const others = found.flat().filter(({ agents, current: isCurrent }) => agents !== null && !isCurrent);
      const known = [...current, ...chosen.flat()];
      return [...known.filter((root) => root.current), ...known.filter((root) => !root.current), ...others];
    },

    recent: async () =>
      (await readRecent()).map(({ path }) => path).filter((path) => !isSamePath(path, currentPath)),

    remember: (path) =>
      lock
        .run(file, async () => {
          const others = (await readRecent()).filter((root) => !isSamePath(root.path, path));
          const openedAt = new Date(clock.now()).toISOString();
          const roots = [{ path, openedAt }, ...others].slice(0, MAX_RECENT);
          await store.write(file, { roots });
        })
        .catch((error: unknown) => logger.warn({ err: error, file }, 'a recent root can’t be saved')),
  };
};

/** Creates the list of known roots. The operator's choices are in `data/recent-roots.json`. */
export const createRoots = (deps: RootsDeps): Feature & Pick<RootsService, 'recent' | 'remember'> => {
  const roots = createRootsService(deps);
  return {
    routes(bind) {
      bind(listRoots, async () => ({ roots: await roots.list() }));
    },
    recent: roots.recent,
    remember: roots.remember,
  };
};
