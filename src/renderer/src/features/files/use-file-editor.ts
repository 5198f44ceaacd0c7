import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { fileQuery } from '../../api/queries.ts';
import { type Draft, drafts, type FileVersion } from '../../drafts/drafts.ts';
import { useDraft } from '../../drafts/use-drafts.ts';
import { strings } from '../../strings.ts';
import { notify } from '../../ui/toast.tsx';
import { type FileState, fileState, isOnDisk, versionOf } from './file-state.ts';
import { formatOf, type TextFormat, toEditorText } from './line-endings.ts';
import { saveDraft } from './save-draft.ts';

/** One file in an editor: its state, and all that can be done with it. */
export interface FileEditor {
  readonly state: FileState;
  readonly format: TextFormat;
  readonly edit: (text: string) => void;
  readonly save: () => void;
  /** Writes mine over the version that is in conflict with it. */
  readonly overwrite: (disk: FileVersion) => void;
  /** Drops the unsaved text for what is on disk; a toast can bring it back. `done` says what that was. */
  readonly discard: (done: string) => void;
  readonly reread: () => void;
}

/** Reads a file, keeps what is typed as a draft, and saves it against the version it was made from. */
export const useFileEditor = (id: string, file: EditableFile): FileEditor => {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(fileQuery(id, file));
  const draft = useDraft(id, file);
  const disk = useMemo(() => versionOf({ data, error }), [data, error]);
  const shownBase = draft?.base ?? disk;
  const baseContent = shownBase?.content ?? '';
  // Worked out once a version, not once a key: a file may have 2 MiB.
  const baseText = useMemo(() => toEditorText(baseContent), [baseContent]);
  const format = useMemo(() => formatOf(baseContent), [baseContent]);

  useEffect(() => {
    if (draft && disk && !draft.saving && disk.etag !== draft.base.etag && isOnDisk(draft, disk)) {
      drafts.remove(id, file);
    }
  }, [draft, disk, id, file]);

  const edit = useCallback(
    (text: string) => {
      const base = drafts.get(id, file)?.base ?? disk;
      if (!base) return;
      const textOfBase = base.content === baseContent ? baseText : toEditorText(base.content);
      const untouched = text === textOfBase && base.etag === disk?.etag;
      // A file that is not there has no untouched text: emptying it again still leaves one to create.
      if (untouched && base.etag !== null) drafts.remove(id, file);
      else drafts.put({ ...(drafts.get(id, file) ?? newDraft(id, file, base)), text, error: null });
    },
    [id, file, disk, baseContent, baseText],
  );

  const save = useCallback(() => {
    if (!drafts.get(id, file) && disk?.etag === null) drafts.put(newDraft(id, file, disk));
    void saveDraft(client, id, file);
  }, [client, id, file, disk]);

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
    state: useMemo(() => fileState({ data, error }, draft), [data, error, draft]),
    format,
    edit,
    save,
    overwrite: (version) => void saveDraft(client, id, file, version),
    discard,
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
});
