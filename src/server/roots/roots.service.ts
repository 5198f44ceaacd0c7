import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { KnownRoot } from '../../shared/api/roots.ts';
import type { Config } from '../config.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Clock } from '../platform/clock.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import type { Logger } from '../platform/logger.ts';
import { readPrivateFile } from '../platform/private-files.ts';
import { isSamePath } from '../platform/root.ts';

const fileSchema = z.object({
  version: z.literal(1),
  /** Newest first. */
  roots: z.array(z.object({ path: z.string(), openedAt: z.iso.datetime() })),
});

type RecentRoot = z.infer<typeof fileSchema>['roots'][number];

/** Older ones are forgotten. */
const MAX_RECENT = 10;
/** Where people keep their agents, below their home. */
const USUAL_NAMES = ['dot-mi', '.pi'];

/** Remembers the roots that the operator chose. */
export interface RootsService {
  list(): Promise<KnownRoot[]>;
  /** Remembers a chosen root. Never rejects, because forgetting one breaks nothing. */
  remember(path: string): Promise<void>;
}

/** Dependencies of {@link createRootsService}. */
export interface RootsDeps {
  /** The root that the server manages. */
  currentPath: string;
  clock: Pick<Clock, 'now'>;
  logger: Pick<Logger, 'warn'>;
}

const isDirectory = async (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );

const countAgents = async (root: string): Promise<number | null> =>
  readdir(join(root, 'agents'), { withFileTypes: true }).then(
    (entries) => entries.filter((entry) => entry.isDirectory()).length,
    () => null,
  );

/** Creates the service. Its file is `data/recent-roots.json`. */
export const createRootsService = (
  { dataDirectory, homeDirectory }: Pick<Config, 'dataDirectory' | 'homeDirectory'>,
  { currentPath, clock, logger }: RootsDeps,
): RootsService => {
  const file = join(dataDirectory, 'data', 'recent-roots.json');
  const lock = createKeyedLock();

  const readRecent = async (): Promise<RecentRoot[]> => {
    try {
      // SECURITY: another user could offer a root of theirs.
      const found = await readPrivateFile(file);
      return found ? fileSchema.parse(JSON.parse(found.text)).roots : [];
    } catch (error) {
      logger.warn({ err: error, file }, "recent roots can't be read");
      return [];
    }
  };

  const inspect = async (path: string, openedAt: string | null): Promise<KnownRoot[]> => {
    if (!(await isDirectory(path))) return [];
    return [{ path, agents: await countAgents(path), openedAt, current: isSamePath(path, currentPath) }];
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

    remember: (path) =>
      lock
        .run(file, async () => {
          const others = (await readRecent()).filter((root) => !isSamePath(root.path, path));
          const openedAt = new Date(clock.now()).toISOString();
          const roots = [{ path, openedAt }, ...others].slice(0, MAX_RECENT);
          await mkdir(dirname(file), { recursive: true });
          const text = `${JSON.stringify({ version: 1, roots }, null, 2)}\n`;
          await writeAtomically(file, Buffer.from(text), { mode: 0o600 });
        })
        .catch((error: unknown) => logger.warn({ err: error, file }, "a recent root can't be saved")),
  };
};
