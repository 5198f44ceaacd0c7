import { type FileHandle, open } from 'node:fs/promises';
import { onTestFinished } from 'vitest';

/** Runs a task before each flush of a file or a directory, with its file descriptor. `path` is of any file. */
export const beforeEachFlush = async (path: string, task: (fd: number) => Promise<void>): Promise<void> => {
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = prototype;
  onTestFinished(() => void Object.assign(prototype, { sync }));
  prototype.sync = async function flush(this: FileHandle) {
    await task(this.fd);
    return sync.call(this);
  };
};
