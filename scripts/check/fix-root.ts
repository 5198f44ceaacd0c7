import { isNotFound } from '../../src/server/platform/app-error.ts';
import { writeFileIn } from '../../src/server/platform/atomic-write.ts';
import {
  type DirectoryHandle,
  openChosenDirectory,
  withDirectory,
  withDirectoryBelow,
} from '../../src/server/platform/directory-handle.ts';
import { decodeUtf8 } from '../../src/server/platform/regular-file.ts';
import type { Finding } from '../../src/shared/api/checks.ts';
import { applyFixes } from '../../src/shared/apply-edits.ts';

/** The text of a regular file and its stats. Undefined for anything else, such as a link. */
const readText = async (directory: DirectoryHandle, name: string) => {
  const file = await directory.openFile(name);
  try {
    const stats = await file.stat();
    // A fix would replace bytes that aren't UTF-8.
    const text = stats.isFile() ? decodeUtf8(await file.readFile()) : undefined;
    return text === undefined ? undefined : { text, stats };
  } finally {
    await file.close();
  }
};

/**
 * Applies the safe fixes of a root's findings, each file in one atomic write. A fix that touches the same text as
 * another is left for the next run, and a file behind a link stays as it is. Returns how many findings were fixed.
 */
export const fixRoot = async (root: string, findings: readonly Finding[]): Promise<number> => {
  const fixFile = async (top: DirectoryHandle, file: string, found: readonly Finding[]): Promise<number> => {
    const fixes = found.flatMap(({ fix }) => (fix?.safe ? [fix.edits] : []));
    if (fixes.length === 0) return 0;
    const names = file.split('/');
    const name = names.pop() ?? '';
    // SECURITY: a write through a link could change a file anywhere.
    return withDirectoryBelow(top, names, async (directory) => {
      const before = await readText(directory, name);
      if (!before) return 0;
      const { text, refused } = applyFixes(before.text, fixes);
      await writeFileIn(directory, name, Buffer.from(text), {
        mode: before.stats.mode,
        owner: before.stats,
        // Another program may have written it meanwhile.
        beforeReplace: async () => {
          if ((await readText(directory, name))?.text !== before.text)
            throw new Error(`${file} changed while it was being fixed. Run the check again.`);
        },
      });
      return fixes.length - refused.length;
    }).catch((error: unknown) => {
      if (isNotFound(error)) return 0;
      throw error;
    });
  };
  return withDirectory(openChosenDirectory(root), async (top) => {
    let fixed = 0;
    for (const [file, found = []] of Object.entries(Object.groupBy(findings, (finding) => finding.file)))
      fixed += await fixFile(top, file, found);
    return fixed;
  });
};
