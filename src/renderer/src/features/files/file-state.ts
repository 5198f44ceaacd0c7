import type { AgentFile } from '../../../../shared/api/files.ts';
import type { ApiError } from '../../api/client.ts';
import { lastRead } from '../../api/read-status.ts';
import type { Draft, EditedText, FileVersion } from '../../drafts/drafts.ts';
import { toEditorText, toFileContent } from './line-endings.ts';

/** The state of a file's view. */
export type FileViewState =
  | { readonly status: 'loading' }
  /** The file can't be shown as text. `startable` is true if the file is missing and saving creates it. */
  | { readonly status: 'problem'; readonly error: ApiError; readonly startable: boolean }
  | {
      readonly status: 'editing';
      readonly text: EditedText;
      readonly dirty: boolean;
      readonly saving: boolean;
      /** True if the file doesn't exist. The first save creates it. */
      readonly isNew: boolean;
      readonly saveError: ApiError | null;
      /** The version on disk. Null unless the draft is based on a different version. */
      readonly conflict: FileVersion | null;
      /** Why the file can't be read now. Its draft stays visible. */
      readonly diskError: ApiError | null;
      /** When the text was typed (ms since 1970), if it was restored from an earlier page. */
      readonly restoredFrom: number | null;
    };

/** The result of a read. */
export interface FileResponse {
  readonly data: AgentFile | undefined;
  readonly error: ApiError | null;
}

const NOT_THERE: FileVersion = { content: '', etag: null };

/**
 * Returns the version that was read, or null. A missing required file counts as an empty version. While the API is
 * offline, the last version still counts.
 */
export const versionOf = (read: FileResponse): FileVersion | null => {
  if (read.error?.code === 'file_not_found') return NOT_THERE;
  const file = lastRead(read);
  return file ? { content: file.content, etag: file.etag } : null;
};

/** Combines the version on disk and the draft. A draft is shown no matter what is on disk. */
export const fileState = (read: FileResponse, draft: Draft | undefined): FileViewState => {
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
    // Show only the conflict. It's newer than the error, and resolving it saves again.
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

/** Returns whether the file on disk already equals what saving the draft would write, so there's no conflict. */
export const isOnDisk = (draft: Draft, disk: FileVersion): boolean =>
  disk.etag !== null && toFileContent(String(draft.text), draft.base.content) === disk.content;
