import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `use` with the path of a new, empty directory that only this user can read, then removes it. */
export const withTemporaryDirectory = async <T>(use: (path: string) => Promise<T>): Promise<T> => {
  const path = await mkdtemp(join(tmpdir(), 'dot-mi-'));
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
};
