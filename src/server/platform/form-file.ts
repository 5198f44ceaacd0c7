import type { WrittenFile } from '../../shared/api/names.ts';
import { type Caller, OPERATOR_READER, type Reader } from './caller.ts';
import { type ChangeItem, type Changes, stateAfter } from './changes.ts';
import type { EtagOf } from './etag.ts';
import type { WriteConditions } from './write-conditions.ts';

/** A file's text and the etag of its bytes. */
export interface TaggedText {
  readonly content: string;
  readonly etag: string;
}

/** What a form needs from the files feature. All methods throw `agent_not_found` and `root_unavailable`. */
export interface FormFiles {
  /** Returns undefined if the file doesn't exist. Throws if dot-mi refuses to read it. */
  readTagged(id: string, name: WrittenFile, reader: Reader): Promise<TaggedText | undefined>;
  /** Returns the item that edits a file. */
  edit(
    id: string,
    name: WrittenFile,
    conditions: WriteConditions,
    change: (text: string | undefined) => string | undefined,
  ): ChangeItem;
}

/** A form's file after a change, and the id of the change. The id is null if nothing changed, or if it can't be undone. */
export interface ChangedFile {
  readonly file: TaggedText | undefined;
  readonly change: string | null;
}

/** An agent file that dot-mi changes through a form instead of as text. */
export interface FormFile {
  read(id: string, reader: Reader): Promise<TaggedText | undefined>;
  /**
   * Returns the item that writes the result of `edit`. Its argument is undefined if there's no file, and its result if
   * nothing is to change. If another program writes the file meanwhile, `edit` runs again with the new text, as long as
   * the conditions hold.
   */
  item(
    id: string,
    conditions: WriteConditions,
    edit: (text: string | undefined) => string | undefined,
  ): ChangeItem;
  /** Makes the change of {@link FormFile.item}. Throws `file_changed` and the errors of `edit`. */
  change(
    id: string,
    conditions: WriteConditions,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<ChangedFile>;
}

/**
 * Returns the etag of a file, for If-Match. Null if it doesn't exist.
 *
 * SECURITY: null for callers who don't see its values. Equal files have equal etags, so anyone who can write a file
 * could otherwise guess another's values.
 */
export const shownEtag = (caller: Caller, file: Pick<TaggedText, 'etag'> | undefined): string | null =>
  caller.kind === 'operator' ? (file?.etag ?? null) : null;

/** Creates a {@link FormFile}. */
export const createFormFile = (
  files: FormFiles,
  changes: Pick<Changes, 'apply'>,
  etagOf: EtagOf,
  name: WrittenFile,
): FormFile => {
  const item: FormFile['item'] = (id, conditions, edit) =>
    files.edit(id, name, conditions, (text) => edit(text) ?? text);
  return {
    read: (id, reader) => files.readTagged(id, name, reader),
    item,
    async change(id, conditions, edit) {
      // What can't be read is reported as for a read.
      await files.readTagged(id, name, OPERATOR_READER);
      const applied = await changes.apply(`Change ${name}`, [item(id, conditions, edit)]);
      const state = stateAfter(applied);
      return {
        file:
          state.is === 'file'
            ? { content: state.text, etag: etagOf(Buffer.from(state.text, 'utf8')) }
            : undefined,
        change: applied.change,
      };
    },
  };
};
