import { lstat, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { applyFixes } from '../../src/server/checks/apply-edits.ts';
import { writeAtomically } from '../../src/server/platform/atomic-write.ts';
import type { Finding } from '../../src/shared/api/checks.ts';

/**
 * Applies the safe fixes of a root's findings, each file in one atomic write. A fix that touches the same text as
 * another is left for the next run, and a file behind a link stays as it is. Returns how many findings were fixed.
 */
export const fixRoot = async (root: string, findings: readonly Finding[]): Promise<number> => {
  const realRoot = await realpath(root);
  let fixed = 0;
  for (const [file, found = []] of Object.entries(Object.groupBy(findings, (finding) => finding.file))) {
    const fixes = found.flatMap(({ fix }) => (fix?.safe ? [fix.edits] : []));
    const path = join(realRoot, file);
    if (fixes.length === 0) continue;
    const stats = await lstat(path);
    // SECURITY: a write through a link could change a file anywhere.
    if (!stats.isFile() || (await realpath(path)) !== path) continue;
    const before = await readFile(path, 'utf8');
    const { text, refused } = applyFixes(before, fixes);
    await writeAtomically(path, Buffer.from(text), {
      mode: stats.mode,
      owner: stats,
      // Another program may have written it meanwhile.
      beforeReplace: async () => {
        if ((await readFile(path, 'utf8')) !== before)
          throw new Error(`${file} changed while it was being fixed. Run the check again.`);
      },
    });
    fixed += fixes.length - refused.length;
  }
  return fixed;
};
