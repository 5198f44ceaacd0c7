import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { fileQuery } from '../../api/queries.ts';
import { useDraftKeeping } from '../../drafts/draft-keeping.tsx';
import { type Draft, drafts, type FileVersion } from '../../drafts/drafts.ts';
import type { EditedText } from '../../drafts/edited-text.ts';
import { useDraft } from '../../drafts/use-drafts.ts';
import { strings } from '../../strings.ts';
import { notify } from '../../ui/toast.tsx';
import { type FileState, fileState, isOnDisk, versionOf } from './file-state.ts';
import { formatOf, type TextFormat, toEditorText } from './line-endings.ts';
import { saveDraft } from './save-draft.ts';

// To compare whole texts is nothing to do between two keys.
const PAUSE_MS = 250;

/** Removes a draft once the disk, by whomever, holds what a save of it would write. */
const useSettledDraft = (draft: Draft | undefined, disk: FileVersion | null): void => {
  const checked = useRef<FileVersion>(null);
  useEffect(() => {
    if (!draft || !disk || draft.saving || disk.etag === draft.base.etag) return;
    const check = (): void => {
      if (isOnDisk(draft, disk)) drafts.remove(draft.id, draft.file);
    };
    const isNews = checked.current !== disk;
    checked.current = disk;
    if (isNews) {
      // Before anyone is asked about a conflict that is none.
      check();
      return;
    }
    const timer = setTimeout(check, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, disk]);
};

/** One file in an editor: its state, and all that can be done with it. */
export interface FileEditor {
  readonly state: FileState;
  readonly format: TextFormat;
  /** The text of the version that is edited, or was last read. */
  readonly base: string;
  /** Names the file among those of all roots. */
  readonly sessionKey: string;
  /** Takes what was typed; `isBase` when that reads as `base`. */
  readonly edit: (text: EditedText, isBase: boolean) => void;
  readonly save: () => void;
  /** Writes mine over the version that is in conflict with it. */
  readonly overwrite: (disk: FileVersion) => void;
  /** Drops the unsaved text for what is on disk; a toast can bring it back. `done` says what that was. */
  readonly discard: (done: string) => void;
  /** Takes note that the text was brought back. */
  readonly acknowledge: () => void;
  readonly reread: () => void;
}

/** Reads a file, keeps what is typed as a draft, and saves it against the version it was made from. */
export const useFileEditor = (id: string, file: EditableFile): FileEditor => {
  const client = useQueryClient();
  const { ready, root } = useDraftKeeping();
  const { data, error, refetch } = useQuery(fileQuery(id, file));
  const draft = useDraft(id, file);
  const disk = useMemo(() => versionOf({ data, error }), [data, error]);
  const baseContent = (draft?.base ?? disk)?.content ?? '';
  // Worked out once a version, not once a key: a file may have 2 MiB.
  const base = useMemo(() => toEditorText(baseContent), [baseContent]);
  const format = useMemo(() => formatOf(baseContent), [baseContent]);
  useSettledDraft(draft, disk);

  const edit = useCallback(
    (text: EditedText, isBase: boolean) => {
      const version = drafts.get(id, file)?.base ?? disk;
      if (!version) return;
      const untouched = isBase && version.etag === disk?.etag;
      // A file that is not there has no untouched text: emptying it again still leaves one to create.
      if (untouched && version.etag !== null) drafts.remove(id, file);
      else drafts.put({ ...(drafts.get(id, file) ?? newDraft(id, file, version)), text, error: null });
    },
    [id, file, disk],
  );

  const save = useCallback(() => {
    if (!ready) return;
    if (!drafts.get(id, file) && disk?.etag === null) drafts.put(newDraft(id, file, disk));
    void saveDraft(client, id, file);
  }, [client, id, file, disk, ready]);

  const discard = useCallback(
    (done: string) => {
      const dropped = drafts.get(id, file);
      drafts.remove(id, file);
      if (!dropped) return;
      notify(done, {
        label: strings.common.undo,
        run: () => {
          // Text typed since then is newer than what this would bring back.
          if (!drafts.get(id, file)) drafts.put({ ...dropped, saving: false, error: null });
        },
      });
    },
    [id, file],
  );

  return {
    state: useMemo(
      // What was typed before comes first: a text shown without it would be taken for the last one.
      () => (ready ? fileState({ data, error }, draft) : { status: 'loading' }),
      [ready, data, error, draft],
    ),
    format,
    base,
    sessionKey: [root, id, file].join('\0'),
    edit,
    save,
    overwrite: (version) => void saveDraft(client, id, file, version),
    discard,
    acknowledge: () => drafts.patch(id, file, { restoredFrom: null }),
    reread: () => void refetch(),
  };
};

const newDraft = (id: string, file: EditableFile, base: FileVersion): Draft => ({
  id,
  file,
  text: toEditorText(base.content),
  base,
  saving: false,
  error: null,
  restoredFrom: null,
});
