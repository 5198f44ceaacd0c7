import { join } from 'node:path';
import { STATUS_EXTENSION } from '../../shared/api/catalog.ts';
import { systemCode } from '../platform/app-error.ts';
import { writeFileIn } from '../platform/atomic-write.ts';
import { type Changes, MISSING } from '../platform/changes.ts';
import { openDirectory, withDirectory } from '../platform/directory-handle.ts';
import type { Root } from '../platform/root.ts';
import { withNewSharedFolder } from '../platform/shared-folder.ts';

const readBundled = (template: string): Promise<Buffer> =>
  withDirectory(openDirectory(join(template, 'shared', 'extensions')), async (extensions) => {
    const file = await extensions.openFile(STATUS_EXTENSION);
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  });

/**
 * Adds dot-mi's bundled extension to the root. `template` is the path of the bundled starter root.
 *
 * Returns false if the name is taken, because it never overwrites. Throws `not_a_directory`, `outside_root` and
 * `root_unavailable`.
 */
export const installStatusExtensionIn = async (
  root: Root,
  template: string,
  changes: Pick<Changes, 'record'>,
): Promise<boolean> => {
  const bytes = await readBundled(template);
  const item = {
    path: `shared/extensions/${STATUS_EXTENSION}`,
    before: MISSING,
    after: { is: 'file', text: bytes.toString('utf8') },
  } as const;
  return withNewSharedFolder(root, 'extensions', async (extensions) => {
    if (await extensions.has(STATUS_EXTENSION)) return false;
    return changes
      .record(`Add ${STATUS_EXTENSION}`, [item], async (recorded) => {
        await recorded;
        await writeFileIn(extensions, STATUS_EXTENSION, bytes, { exclusive: true });
      })
      .then(
        () => true,
        (error: unknown) => {
          if (systemCode(error) === 'EEXIST') return false;
          throw error;
        },
      );
  });
};
