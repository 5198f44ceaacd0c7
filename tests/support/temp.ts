import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const PREFIX = 'dot-mi-test-';

/** A new directory for the tests of a file, with what removes it: `beforeAll` calls that in the end when it is returned. */
export const makeSharedDirectory = async (prefix = PREFIX) => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
};

/** A new directory that goes when the test ends. Its path is resolved, so that tests can compare paths. */
export const makeTempDirectory = async (prefix = PREFIX): Promise<string> => {
  const { directory, remove } = await makeSharedDirectory(prefix);
  onTestFinished(remove);
  return directory;
};
