import type { Text } from '@codemirror/state';
import { createStore } from 'zustand/vanilla';
import type { EditableFile } from '../../../shared/api/names.ts';
import type { ApiError } from '../api/client.ts';

/**
 * An editor's text: LF line endings, no byte order mark. Typed text stays the editor's tree of lines, and becomes a
 * string (`String(text)`) only where one is needed. Converting 2 MiB on each key press would be noticeable.
 */
export type EditedText = string | Text;

/** Returns whether two texts are equal. Fast for two versions from one editor, which share their equal parts. */
export const isSameText = (a: EditedText, b: EditedText): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return typeof a !== 'string' && typeof b !== 'string' ? a.eq(b) : String(a) === String(b);
};

/** A file as it was read: its exact text, and the etag for the write (null if there was no file). */
export interface FileVersion {
  readonly content: string;
  readonly etag: string | null;
}

/** Typed text that isn't saved. */
export interface Draft {
  /** The `rootId` of the draft's root. The draft is never saved to another root. */
  readonly root: string;
  readonly id: string;
  readonly file: EditableFile;
  readonly text: EditedText;
  /** The version that was edited. Saving is refused if the file on disk is a different version. */
  readonly base: FileVersion;
  /** When the text was last typed (ms since 1970). */
  readonly typedAt: number;
  readonly saving: boolean;
  /** Why the last save failed. */
  readonly error: ApiError | null;
  /** When the draft was typed (ms since 1970), if an earlier page stored it and the notice isn't dismissed. */
  readonly restoredFrom: number | null;
  /** The other page whose text this draft began with, and when that was typed (ms since 1970). */
  readonly origin: { readonly writer: string; readonly typedAt: number } | null;
}

/**
 * The page's drafts, by agent and file. They outlive their editors, and draft-keeper.ts stores them
 * outside the page.
 */
export interface Drafts {
  readonly get: (id: string, file: EditableFile) => Draft | undefined;
  /** Ignores a draft from a root that isn't open. */
  readonly put: (draft: Draft) => void;
  /** Changes a draft if it exists, so that a late response can't bring one back. */
  readonly patch: (id: string, file: EditableFile, change: Partial<Omit<Draft, 'id' | 'file'>>) => void;
  readonly remove: (id: string, file: EditableFile) => void;
  /** Removes all drafts. From then on, accepts only drafts from this root, or from any root if null. */
  readonly openRoot: (root: string | null) => void;
  readonly all: () => readonly Draft[];
  readonly of: (id: string) => readonly Draft[];
  readonly subscribe: (listener: () => void) => () => void;
}

/** Creates an empty store. */
export const createPageDrafts = (): Drafts => {
  const { getState, setState, subscribe } = createStore<readonly Draft[]>(() => []);
  const replace = (next: readonly Draft[]): void => setState(next, true);
  let opened: string | null = null;
  const isAt = (id: string, file: EditableFile) => (draft: Draft) => draft.id === id && draft.file === file;
  return {
    get: (id, file) => getState().find(isAt(id, file)),
    put: (draft) => {
      if (opened !== null && draft.root !== opened) return;
      const index = getState().findIndex(isAt(draft.id, draft.file));
      replace(index < 0 ? [...getState(), draft] : getState().with(index, draft));
    },
    patch: (id, file, change) => {
      const index = getState().findIndex(isAt(id, file));
      const draft = getState()[index];
      if (draft) replace(getState().with(index, { ...draft, ...change }));
    },
    remove: (id, file) => {
      const isGone = isAt(id, file);
      if (getState().some(isGone)) replace(getState().filter((draft) => !isGone(draft)));
    },
    openRoot: (root) => {
      opened = root;
      if (getState().length > 0) replace([]);
    },
    all: getState,
    of: (id) => getState().filter((draft) => draft.id === id),
    subscribe,
  };
};

/** The page's only store of drafts. */
export const drafts: Drafts = createPageDrafts();
