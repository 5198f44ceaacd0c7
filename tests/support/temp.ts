import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new directory that goes when the test ends. Its path is resolved, so that tests can compare paths. */
export const makeTempDirectory = async (prefix = 'dot-mi-test-'): Promise<string> => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
};
