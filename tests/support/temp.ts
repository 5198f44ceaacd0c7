import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const PREFIX = 'dot-mi-test-';

/** A new directory for the tests of a file, with a function that removes it. Return that from `beforeAll`. */
export const makeSharedDirectory = async (prefix = PREFIX) => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
};

/** A new directory that is removed when the test ends. Its path is resolved, so tests can compare paths. */
export const makeTempDirectory = async (prefix = PREFIX): Promise<string> => {
  const { directory, remove } = await makeSharedDirectory(prefix);
  onTestFinished(remove);
  return directory;
};
