import { LRUCache } from 'lru-cache';
import type { WrittenFile } from '../../shared/api/names.ts';
import { AppError } from './app-error.ts';
import { type Caller, OPERATOR_READER, type Reader } from './caller.ts';
import { requireConditions, type WriteConditions } from './write-conditions.ts';

/** A file's text and the etag of its bytes. */
export interface TaggedText {
  readonly content: string;
  readonly etag: string;
}

/** What a form needs from the files feature. All methods throw `agent_not_found` and `root_unavailable`. */
export interface FormFiles {
  /** Returns undefined if the file doesn't exist. Throws if dot-mi refuses to read it. */
  readTagged(id: string, name: WrittenFile, reader: Reader): Promise<TaggedText | undefined>;
  write(
    id: string,
    name: WrittenFile,
    content: string,
    conditions: WriteConditions,
  ): Promise<{ readonly etag: string }>;
  remove(id: string, name: WrittenFile, etag: string): Promise<void>;
}

/** An agent file that dot-mi changes through a form instead of as text. */
export interface FormFile {
  read(id: string, reader: Reader): Promise<TaggedText | undefined>;
  /**
   * Writes the result of `edit`. Its argument or result is undefined if there's no file. If another program writes the
   * file meanwhile, `edit` runs again with the new text, as long as the conditions hold.
   *
   * Throws `file_changed` and the errors of `edit`.
   */
  change(
    id: string,
    conditions: WriteConditions,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<TaggedText | undefined>;
  /** Restores the file from before the change that created this etag. Throws `nothing_to_undo` and `file_changed`. */
  undo(id: string, etag: string): Promise<TaggedText | undefined>;
}

/**
 * Returns the etag of a file, for If-Match. Null if it doesn't exist.
 *
 * SECURITY: null for callers who don't see its values. Equal files have equal etags, so anyone who can write a file
 * could otherwise guess another's values.
 */
export const shownEtag = (caller: Caller, file: Pick<TaggedText, 'etag'> | undefined): string | null =>
  caller.kind === 'operator' ? (file?.etag ?? null) : null;

/** How many changes can be undone, and how long their text can be in total, in UTF-16 code units. */
const MAX_UNDO = 100;
const MAX_UNDO_TEXT = 4 * 1024 * 1024;

/** How many times to try, because another program may write the file between our read and our write. */
const ATTEMPTS = 4;

/** Creates a {@link FormFile}. */
export const createFormFile = (files: FormFiles, name: WrittenFile): FormFile => {
  /**
   * The text before each change, by agent and the new etag. SECURITY: it can contain secrets, so it stays in memory.
   */
  const earlier = new LRUCache<string, { readonly text: string | undefined }>({
    max: MAX_UNDO,
    maxSize: MAX_UNDO_TEXT,
    sizeCalculation: ({ text }) => 1 + (text?.length ?? 0),
  });
  const keyOf = (id: string, etag: string) => `${id} ${etag}`;
  const read: FormFile['read'] = (id, reader) => files.readTagged(id, name, reader);

  const changeOnce: FormFile['change'] = async (id, conditions, edit) => {
    const file = await read(id, OPERATOR_READER);
    requireConditions(conditions, name, file?.etag);
    const content = edit(file?.content);
    if (content === undefined || content === file?.content) return file;
    // Replace only the version that was read, even if the caller's conditions allow others.
    const { etag } = await files.write(
      id,
      name,
      content,
      file ? { ifMatch: file.etag } : { ifNoneMatch: '*' },
    );
    earlier.set(keyOf(id, etag), { text: file?.content });
    return { content, etag };
  };

  return {
    read,

    async change(id, conditions, edit) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await changeOnce(id, conditions, edit);
        } catch (error) {
          // The next attempt checks the caller's conditions again.
          const isRetried = error instanceof AppError && error.code === 'file_changed' && attempt < ATTEMPTS;
          if (!isRetried) throw error;
        }
      }
    },

    async undo(id, etag) {
      const before = earlier.get(keyOf(id, etag));
      // This also reports a missing agent.
      await read(id, OPERATOR_READER);
      if (!before)
        throw new AppError(
          'nothing_to_undo',
          'dot-mi can no longer undo this change. It forgets changes when it stops.',
        );
      if (before.text === undefined) await files.remove(id, name, etag);
      else await files.write(id, name, before.text, { ifMatch: etag });
      earlier.delete(keyOf(id, etag));
      return read(id, OPERATOR_READER);
    },
  };
};
