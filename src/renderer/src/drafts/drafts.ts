import type { EditableFile } from '../../../shared/api/names.ts';
import type { ApiError } from '../api/client.ts';
import type { EditedText } from './edited-text.ts';

/** A file as it was read: the exact text, and the etag to write against; `null` when there was no file. */
export interface FileVersion {
  readonly content: string;
  readonly etag: string | null;
}

/** Text that was typed and is not on disk. */
export interface Draft {
  readonly id: string;
  readonly file: EditableFile;
  readonly text: EditedText;
  /** What the text was made from. Saving is refused when the disk holds another version. */
  readonly base: FileVersion;
  readonly saving: boolean;
  /** Why the last save failed. */
  readonly error: ApiError | null;
  /** When it was typed (ms since 1970), if an earlier page did that and nobody has taken note of it yet. */
  readonly restoredFrom: number | null;
}

/** The drafts of the page, by agent and file. They outlive the editors that show them; draft-keeper.ts keeps them beyond the page. */
export interface Drafts {
  readonly get: (id: string, file: EditableFile) => Draft | undefined;
  readonly put: (draft: Draft) => void;
  /** Changes a draft that is there; nothing otherwise, so that a late answer brings none back. */
  readonly patch: (id: string, file: EditableFile, change: Partial<Omit<Draft, 'id' | 'file'>>) => void;
  readonly remove: (id: string, file: EditableFile) => void;
  /** Forgets them all: another root has other agents. */
  readonly clear: () => void;
  readonly all: () => readonly Draft[];
  readonly of: (id: string) => readonly Draft[];
  readonly subscribe: (listener: () => void) => () => void;
}

/** Makes an empty store. */
export const createDrafts = (): Drafts => {
  let drafts: readonly Draft[] = [];
  const listeners = new Set<() => void>();
  const replace = (next: readonly Draft[]): void => {
    drafts = next;
    for (const listener of listeners) listener();
  };
  const isAt = (id: string, file: EditableFile) => (draft: Draft) => draft.id === id && draft.file === file;
  return {
    get: (id, file) => drafts.find(isAt(id, file)),
    put: (draft) => {
      const index = drafts.findIndex(isAt(draft.id, draft.file));
      replace(index < 0 ? [...drafts, draft] : drafts.with(index, draft));
    },
    patch: (id, file, change) => {
      const index = drafts.findIndex(isAt(id, file));
      const draft = drafts[index];
      if (draft) replace(drafts.with(index, { ...draft, ...change }));
    },
    remove: (id, file) => {
      const isGone = isAt(id, file);
      if (drafts.some(isGone)) replace(drafts.filter((draft) => !isGone(draft)));
    },
    clear: () => {
      if (drafts.length > 0) replace([]);
    },
    all: () => drafts,
    of: (id) => drafts.filter((draft) => draft.id === id),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** The one store of the page. */
export const drafts: Drafts = createDrafts();
