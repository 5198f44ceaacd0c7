import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { byKind, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import { isPresetName, MAX_PRESET_BYTES, type Preset } from '../../shared/api/presets.ts';
import type { EntryProblem } from '../../shared/api/problem.ts';
import { AppError, entryProblemOf } from '../platform/app-error.ts';
import type { EtagOf } from '../platform/etag.ts';
import { createDirectoryLister, lstatIfThere } from '../platform/list-directory.ts';
import { readRegularSync } from '../platform/regular-file.ts';
import type { Root } from '../platform/root.ts';
import { coverDirectory, type ScanContext } from '../root-model/coverage.ts';
import { createKept } from '../root-model/kept.ts';
import type { PathRecord } from '../root-model/path-record.ts';
import { fileOf, PRESETS, parsePreset, presetIn, serversProblem } from './preset-file.ts';

type SharedNames = Readonly<Record<LinkKind, ReadonlySet<string>>>;

/** The part of a preset that doesn't depend on the catalog. */
type ReadPreset = Omit<Preset, 'missing'>;

const unusable = (name: string, problem: EntryProblem, etag: string | null = null): ReadPreset => ({
  name,
  ...byKind(() => []),
  mcpServers: {},
  etag,
  problem,
});

const notAFile = (name: string): ReadPreset =>
  unusable(name, {
    code: 'not_a_file',
    message: `shared/presets/${name}.json is not a regular file. Replace it with one, or move it somewhere else.`,
  });

const readPresetFile = (name: string, path: string, realRoot: string, etagOf: EtagOf): ReadPreset => {
  const read = readRegularSync(path, { inside: [realRoot], isExact: true, maxBytes: MAX_PRESET_BYTES });
  if ('problem' in read) {
    if (read.problem === 'not-a-file') return notAFile(name);
    return unusable(name, {
      code: 'unreadable',
      message: `shared/presets/${name}.json is larger than the limit of 64 KiB. Shorten it.`,
    });
  }
  const etag = etagOf(read.bytes);
  const parsed = parsePreset(read.bytes);
  if (!parsed) {
    const message = `shared/presets/${name}.json is not a preset: it needs to be JSON with lists of names, such as "skills" and "extensions". Correct it in another program.`;
    return unusable(name, { code: 'unreadable', message }, etag);
  }
  const problem = serversProblem(parsed.mcpServers);
  // SECURITY: possible secrets are never shown.
  if (problem !== undefined)
    return unusable(name, { code: 'unreadable', message: `shared/presets/${name}.json: ${problem}` }, etag);
  const { fields: _, ...content } = parsed;
  return { name, ...content, etag };
};

/** The error for a folder of presets that is a file or a link. */
export const presetsNotADirectory = (): AppError =>
  new AppError(
    'not_a_directory',
    '"shared/presets" in the root is not a regular directory. Move it somewhere else or replace it with a directory.',
  );

const readPreset = (
  root: Root,
  etagOf: EtagOf,
  directory: string,
  name: string,
  record: PathRecord,
): ReadPreset => {
  try {
    if (!isPresetName(name)) {
      const message = `"${name}" is a file name that some operating systems don’t allow. Rename the file.`;
      return unusable(name, { code: 'unsupported_name', message });
    }
    if (!record.lstat(join(directory, fileOf(name)))?.isFile()) return notAFile(name);
    const realRoot = realpathSync.native(root.path);
    // SECURITY: the folder can be swapped for a link to an agent's private files, so its path has no links.
    return readPresetFile(name, join(realRoot, 'shared', PRESETS, fileOf(name)), realRoot, etagOf);
  } catch (error) {
    record.neverReuse();
    return unusable(name, entryProblemOf(error, `shared/presets/${name}.json`));
  }
};

/**
 * Creates a blocking scan of `shared/presets`, for the disk thread. Returns the same object until something changes.
 * Throws `not_a_directory`.
 */
export const createPresetsScan = (root: Root, etagOf: EtagOf) => {
  const shared = join(root.path, 'shared');
  const directory = join(shared, PRESETS);
  const list = createDirectoryLister(root.path, directory, ({ name }) => presetIn(name));
  const kept = createKept((name, record) => readPreset(root, etagOf, directory, name, record));
  let last: { presets: Preset[] } = { presets: [] };

  return (names: SharedNames, at: ScanContext): { presets: Preset[] } => {
    for (const path of [shared, directory]) {
      coverDirectory(path, at);
      const stats = lstatIfThere(path);
      // SECURITY: a linked folder would list another of this user's directories.
      if (stats && !stats.isDirectory()) throw presetsNotADirectory();
    }
    const presets = kept.all(list(at.nowMs).entries, at).map((preset) => ({
      ...preset,
      missing: LINK_KINDS.flatMap((kind) =>
        preset[kind].filter((one) => !names[kind].has(one)).map((one) => ({ kind, name: one })),
      ),
    }));
    if (JSON.stringify(last.presets) !== JSON.stringify(presets)) last = { presets };
    return last;
  };
};

/** The error for a missing preset. */
export const presetNotFound = (name: string): AppError =>
  new AppError('preset_not_found', `There is no preset "${name}".`).withHint({
    route: 'GET /api/presets',
    text: 'GET /api/presets lists the presets.',
  });
