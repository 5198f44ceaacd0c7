import type { WrittenFile } from '../../shared/api/names.ts';
import type { Caller, Reader } from './caller.ts';
import type { ChangeItem } from './changes.ts';
import type { WriteConditions } from './write-conditions.ts';

/** A file's text and the etag of its bytes. */
export interface TaggedText {
  readonly content: string;
  readonly etag: string;
}

/** What features need from the files feature. All methods throw `agent_not_found` and `root_unavailable`. */
export interface FormFiles {
  /** Returns undefined if the file doesn't exist. Throws if dot-mi refuses to read it. */
  readTagged(id: string, name: WrittenFile, reader: Reader): Promise<TaggedText | undefined>;
  /**
   * Returns the item that writes the result of `change`. Its argument is undefined if there's no file, and its result if
   * there should be none. If another program writes the file meanwhile, `change` runs again with the new text, as long as
   * the conditions hold.
   */
  edit(
    id: string,
    name: WrittenFile,
    conditions: WriteConditions,
    change: (text: string | undefined) => string | undefined,
  ): ChangeItem;
}

/**
 * Returns the etag of a file, for If-Match. Null if it doesn't exist.
 *
 * SECURITY: null for callers who don't see its values. Equal files have equal etags, so anyone who can write a file
 * could otherwise guess another's values.
 */
export const shownEtag = (caller: Caller, file: Pick<TaggedText, 'etag'> | undefined): string | null =>
  caller.kind === 'operator' ? (file?.etag ?? null) : null;
