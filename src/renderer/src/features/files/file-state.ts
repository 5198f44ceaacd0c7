import type { AgentFile } from '../../../../shared/api/files.ts';
import type { ApiError } from '../../api/client.ts';
import { lastRead } from '../../api/read-status.ts';
import type { Draft, FileVersion } from '../../drafts/drafts.ts';
import type { EditedText } from '../../drafts/edited-text.ts';
import { toEditorText, toFileContent } from './line-endings.ts';

/** What the pane of a file shows. */
export type FileState =
  | { readonly status: 'loading' }
  /** Cannot be shown as text; `startable` when saving would simply make it. */
  | { readonly status: 'problem'; readonly error: ApiError; readonly startable: boolean }
  | {
      readonly status: 'editing';
      readonly text: EditedText;
      readonly dirty: boolean;
      readonly saving: boolean;
      /** The file is not there; the first save makes it. */
      readonly isNew: boolean;
      readonly saveError: ApiError | null;
      /** The disk holds another version than the one the unsaved text was made from. */
      readonly conflict: FileVersion | null;
      /** The file cannot be read now, but there is unsaved text to keep on the screen. */
      readonly diskError: ApiError | null;
      /** When the text was typed (ms since 1970), if it was brought back from an earlier page. */
      readonly restoredFrom: number | null;
    };

/** A read that did not succeed, or succeeded. */
export interface FileRead {
  readonly data: AgentFile | undefined;
  readonly error: ApiError | null;
}

const NOT_THERE: FileVersion = { content: '', etag: null };

/**
 * The version a read tells of; null when it tells of none. A missing required file is one, too: the empty one. While
 * the API is offline, the last version that was read still counts.
 */
export const versionOf = (read: FileRead): FileVersion | null => {
  if (read.error?.code === 'file_not_found') return NOT_THERE;
  const file = lastRead(read);
  return file ? { content: file.content, etag: file.etag } : null;
};

/** Joins what is on disk and what was typed into what is shown. Typed text is shown whatever the disk says. */
export const fileState = (read: FileRead, draft: Draft | undefined): FileState => {
  const disk = versionOf(read);
  const startable = read.error?.code === 'file_not_found';
  if (!draft) {
    if (read.error && (startable || !disk)) return { status: 'problem', error: read.error, startable };
    if (!disk) return { status: 'loading' };
    const { content, etag } = disk;
    return { ...EDITING, text: toEditorText(content), isNew: etag === null };
  }
  const differs = disk !== null && disk.etag !== draft.base.etag && !draft.saving;
  return {
    ...EDITING,
    text: draft.text,
    dirty: true,
    saving: draft.saving,
    isNew: (disk ?? draft.base).etag === null,
    // The conflict is the newer reason, and its answer is the next save.
    saveError: differs ? null : draft.error,
    conflict: differs ? disk : null,
    diskError: disk ? null : read.error,
    restoredFrom: draft.restoredFrom,
  };
};

const EDITING = {
  status: 'editing',
  dirty: false,
  saving: false,
  saveError: null,
  conflict: null,
  diskError: null,
  restoredFrom: null,
} as const;

/** Whether the disk already holds what a save of the draft would write, so that there is nothing left to decide. */
export const isOnDisk = (draft: Draft, disk: FileVersion): boolean =>
  disk.etag !== null && toFileContent(String(draft.text), draft.base.content) === disk.content;
