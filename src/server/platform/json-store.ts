import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from './atomic-write.ts';
import { readOwnFile } from './private-files.ts';

/** Reads and writes dot-mi's own data files of one shape. */
interface JsonStore<T> {
  /**
   * Returns undefined if the file doesn't exist. Throws `NotPrivateError` if another user could have written it, and
   * an error for anything that doesn't match the schema.
   */
  read(path: string): Promise<T | undefined>;
  /** Replaces the file atomically with mode 0600, or creates it and its directory. */
  write(path: string, value: T): Promise<void>;
}

const VERSION = 1;
const versioned = z.looseObject({ version: z.literal(VERSION) });

/** Returns a file's text. Use `indent` for files that people may have to repair. */
const versionedText = (value: object, indent?: number): string =>
  `${JSON.stringify({ version: VERSION, ...value }, null, indent)}\n`;

/**
 * Creates a {@link JsonStore} for files such as `{"version": 1, …}`, where `schema` describes the fields after the
 * version.
 */
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
