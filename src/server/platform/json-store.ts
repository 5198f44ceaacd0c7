import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from './atomic-write.ts';
import { readOwnFile } from './private-files.ts';

/** Reads and writes files of dot-mi's own data that have one shape. */
interface JsonStore<T> {
  /**
   * Undefined if there is no file. Throws `NotPrivateError` if another user could have written it, and for anything that
   * doesn't have the shape.
   */
  read(path: string): Promise<T | undefined>;
  /** Replaces the file, mode 0600, or creates it and its directory. A crash leaves the old or the new one. */
  write(path: string, value: T): Promise<void>;
}

const VERSION = 1;
const versioned = z.looseObject({ version: z.literal(VERSION) });

/** The text of a file. `indent` is for files that a person may have to repair. */
export const versionedText = (value: object, indent?: number): string =>
  `${JSON.stringify({ version: VERSION, ...value }, null, indent)}\n`;

/** Creates a {@link JsonStore} of files as `{"version": 1, …}`, where `schema` describes what follows the version. */
export const createJsonStore = <T extends object>(schema: z.ZodType<T>): JsonStore<T> => ({
  async read(path) {
    const text = await readOwnFile(path);
    return text === undefined ? undefined : schema.parse(versioned.parse(JSON.parse(text)));
  },
  async write(path, value) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeAtomically(path, Buffer.from(versionedText(value, 2)), { mode: 0o600 });
  },
});
