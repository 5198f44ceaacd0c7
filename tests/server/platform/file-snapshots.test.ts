import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFileSnapshots } from '../../../src/server/files/file-snapshots.ts';
import { createSignatures } from '../../../src/server/files/signatures.ts';
import { systemClock } from '../../../src/server/platform/clock.ts';
import { createQuickLooks } from '../../../src/server/platform/quick-looks.ts';
import { createRoot } from '../../../src/server/platform/root.ts';
import { SIGNATURE_WORKER_URL } from '../../support/bundled-locations.ts';
import { makeRoot } from '../../support/root.ts';

test.each([
  ['on the main thread', ''],
  // A place on a file system that isn't local, so that only a thread may look.
  ['in a thread', '/proc'],
])('answers in memory are never older than the file, with looks %s', async (_name, quickPath) => {
  const path = await makeRoot();
  const root = createRoot(path);
  const signatures = createSignatures(SIGNATURE_WORKER_URL, path);
  onTestFinished(() => signatures.close());
  // Answers about files that changed just now aren't kept, so these files seem older.
  const clock = { ...systemClock, now: () => Date.now() + 60_000 };
  const files = createFileSnapshots(root, clock, signatures, createQuickLooks(quickPath || path));
  const file = join(path, 'agents/scout/SYSTEM.md');
  const write = async (text: string, atSeconds: number) => {
    await writeFile(file, text);
    await utimes(file, atSeconds, atSeconds);
  };
  const read = () => files.readText('scout', 'SYSTEM.md');
  for (let i = 0; i < 20; i++) {
    await write(`prompt ${i}`, 1_000 + i);
    expect([await read(), await read(), await read()]).toEqual(Array(3).fill(`prompt ${i}`));
    expect(await files.inspect('scout')).toBe(await files.inspect('scout'));
    expect((await files.inspect('scout'))['SYSTEM.md'].modifiedAt).toBe(
      new Date((1_000 + i) * 1_000).toISOString(),
    );
  }
});
