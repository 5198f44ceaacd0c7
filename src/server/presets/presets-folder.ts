import { isUtf8 } from 'node:buffer';
import { AppError, isNotFound, systemCode } from '../platform/app-error.ts';
import { removeLeftoverTemps, writeFileIn } from '../platform/atomic-write.ts';
import { type Changes, MISSING, type PathState, SHARED_LOCK } from '../platform/changes.ts';
import { type DirectoryHandle, openOrMake, withDirectory } from '../platform/directory-handle.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import { type Root, withRoot } from '../platform/root.ts';
import { fileOf, isPresetFile, PRESETS } from './preset-file.ts';
import { presetsNotADirectory } from './scan-presets.ts';

/** A deleted preset's bytes and file mode. */
export interface DeletedPreset {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** A root's presets directory, which allows one change at a time. */
export interface PresetsFolder {
  change<T>(task: () => Promise<T>): Promise<T>;
  /** Runs `use` with the open directory. Throws ENOENT if it's missing and `create` is false. */
  withPresets<T>(create: boolean, use: (presets: DirectoryHandle) => Promise<T>): Promise<T>;
  /** Creates a preset's file in the open directory. Throws `preset_exists`. */
  create(
    presets: DirectoryHandle,
    name: string,
    file: { readonly bytes: Uint8Array; readonly mode?: number },
  ): Promise<void>;
  /** Recreates a preset from the trash. Throws `preset_exists` and `not_a_directory`. */
  place(name: string, file: DeletedPreset): Promise<void>;
}

const presetExists = (name: string): AppError =>
  new AppError('preset_exists', `A preset "${name}" already exists. Choose another name.`);

/** Opens a directory. Creates it if it's missing and `create` is true. */
const openIn = (parent: DirectoryHandle, name: string, create: boolean): Promise<DirectoryHandle> =>
  (create ? openOrMake(parent, name) : parent.open(name)).catch((error: unknown) => {
    throw isNotFound(error) && systemCode(error) !== 'ENOENT' ? presetsNotADirectory() : error;
  });

/** Returns the path of a preset, for change sets. */
export const pathOf = (name: string): string => `shared/${PRESETS}/${fileOf(name)}`;

/** Returns a preset's state, for change sets. The history keeps only text, which a preset always is. */
export const stateOf = (bytes: Uint8Array, mode?: number): PathState => ({
  is: 'file',
  text: Buffer.from(bytes).toString('utf8'),
  mode: mode === undefined ? undefined : mode & 0o777,
});

/** Creates the {@link PresetsFolder} that the preset routes and the trash share. The trash restores deleted presets. */
export const createPresetsFolder = (
  root: Root,
  lock: KeyedLock,
  changes: Pick<Changes, 'record'>,
): PresetsFolder => {
  const change: PresetsFolder['change'] = (task) => lock.run(SHARED_LOCK, task);
  const withPresets: PresetsFolder['withPresets'] = (create, use) =>
    withRoot(root, (directory) =>
      withDirectory(openIn(directory, 'shared', create), (shared) =>
        withDirectory(openIn(shared, PRESETS, create), use),
      ),
    );
  const create: PresetsFolder['create'] = async (presets, name, { bytes, mode }) => {
    await removeLeftoverTemps(presets, isPresetFile);
    await writeFileIn(presets, fileOf(name), bytes, { mode, exclusive: true }).catch((error: unknown) => {
      throw systemCode(error) === 'EEXIST' ? presetExists(name) : error;
    });
  };
  return {
    change,
    withPresets,
    create,
    place: (name, file) =>
      change(() =>
        withPresets(true, async (presets) => {
          if (!isUtf8(file.bytes)) return create(presets, name, file);
          const items = [{ path: pathOf(name), before: MISSING, after: stateOf(file.bytes, file.mode) }];
          await changes.record(`Restore preset ${name}`, items, async (recorded) => {
            await recorded;
            await create(presets, name, file);
          });
        }),
      ),
  };
};
