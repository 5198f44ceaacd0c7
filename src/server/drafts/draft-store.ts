import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { DraftInfo, StoredDraft } from '../../shared/api/drafts.ts';
import { EDITABLE_FILES } from '../../shared/api/names.ts';
import { removeLeftoverTemps } from '../platform/atomic-write.ts';
import { openChosenDirectory, withDirectory } from '../platform/directory-handle.ts';
import { createJsonStore } from '../platform/json-store.ts';
import type { Logger } from '../platform/logger.ts';
import { securePrivateDirectory } from '../platform/private-files.ts';

const store = createJsonStore(
  z.object({
    draft: z.object({
      agentId: z.string(),
      path: z.enum(EDITABLE_FILES),
      writer: z.string(),
      version: z.string(),
      typedAt: z.string(),
      text: z.string(),
      base: z.object({ content: z.string(), etag: z.string().nullable() }),
    }),
  }),
);

/** Identifies a draft. Each page that edits a file has its own. */
export type DraftKey = Pick<StoredDraft, 'agentId' | 'path' | 'writer'>;

/** Stores one root's drafts as files. */
export interface DraftStore {
  /** Returns all drafts, but not their text. `bytes` counts the text and its base. Skips unreadable files. */
  readAll(): Promise<{ info: DraftInfo; bytes: number }[]>;
  read(key: DraftKey): Promise<StoredDraft | undefined>;
  /** Replaces the draft with this key atomically. */
  write(draft: StoredDraft): Promise<void>;
  remove(key: DraftKey): Promise<void>;
}

const FILE_NAME = /^[0-9a-f]{40}\.json$/;

// A hash, because agent names can differ only in case, which some file systems ignore.
const fileNameOf = ({ agentId, path, writer }: DraftKey): string =>
  `${createHash('sha256').update(`${agentId}/${path}/${writer}`).digest('hex').slice(0, 40)}.json`;

/**
 * Stores each draft in a file of `directory`, mode 0600, because prompts can be confidential. Creates the directory
 * on the first write. Throws the system's errors.
 */
export const createDraftStore = (directory: string, logger: Pick<Logger, 'warn'>): DraftStore => {
  const pathOf = (key: DraftKey): string => join(directory, fileNameOf(key));
  let secured: Promise<void> | undefined;
  const secure = (): Promise<void> => {
    secured ??= securePrivateDirectory(directory, (name) => FILE_NAME.test(name)).catch((error: unknown) => {
      secured = undefined;
      throw error;
    });
    return secured;
  };

  const readFrom = async (path: string): Promise<StoredDraft | undefined> => (await store.read(path))?.draft;

  return {
    async readAll() {
      await secure();
      await withDirectory(openChosenDirectory(directory), (opened) =>
        removeLeftoverTemps(opened, (name) => FILE_NAME.test(name)),
      );
      const found: { info: DraftInfo; bytes: number }[] = [];
      for (const name of await readdir(directory)) {
        if (!FILE_NAME.test(name)) continue;
        try {
          const draft = await readFrom(join(directory, name));
          if (!draft) continue;
          const { text, base, ...info } = draft;
          found.push({ info, bytes: Buffer.byteLength(text) + Buffer.byteLength(base.content) });
        } catch (error) {
          logger.warn({ err: error, file: name }, 'a draft can’t be read, so it is not shown');
        }
      }
      return found;
    },

    read: (key) => readFrom(pathOf(key)),

    async write(draft) {
      await secure();
      await store.write(pathOf(draft), { draft });
    },

    remove: (key) => rm(pathOf(key), { force: true }),
  };
};
