import type { EditableFile } from '../../../shared/api/names.ts';
import type { FileVersion } from './drafts.ts';

/** A draft as it outlives the page. `typedAt` is in ms since 1970, and `writer` is the page that typed it. */
export interface KeptDraft {
  readonly id: string;
  readonly file: EditableFile;
  readonly writer: string;
  readonly typedAt: number;
  readonly text: string;
  readonly base: FileVersion;
}

/** Identifies one version of a kept draft. Each page has its own draft of a file. */
export interface DraftRef extends Pick<KeptDraft, 'id' | 'file' | 'writer'> {
  readonly version: string;
}

/** A kept draft without its text. */
export interface DraftHead extends DraftRef {
  readonly typedAt: number;
}

/** Stores the drafts of one root beyond the page. Every method rejects when nothing can be kept. */
export interface DraftStore {
  readonly all: () => Promise<readonly DraftHead[]>;
  /** Undefined if it is gone. */
  readonly read: (ref: DraftRef) => Promise<KeptDraft | undefined>;
  /**
   * Replaces the draft of its writer and returns the new version. Also removes the other page's version that
   * it continues, unless that page has typed since.
   */
  readonly put: (draft: KeptDraft, replaces: DraftRef | null) => Promise<string>;
  /** Removes a draft if it is still that version, so that no page removes text that another one typed. */
  readonly remove: (ref: DraftRef) => Promise<void>;
}
