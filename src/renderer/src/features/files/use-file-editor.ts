import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { useLive } from '../../api/live.tsx';
import { fileQuery } from '../../api/queries.ts';
import { notifyUndoable } from '../../changes/changes.ts';
import { useDraftKeeping } from '../../drafts/draft-keeping.tsx';
import { type Draft, drafts, type EditedText, type FileVersion } from '../../drafts/drafts.ts';
import { useDraft } from '../../drafts/use-drafts.ts';
import { conflict as words } from '../../strings/files.ts';
import { type FileViewState, fileState, isOnDisk, versionOf } from './file-state.ts';
import { formatOf, type TextFormat, toEditorText } from './line-endings.ts';
import { saveDraft } from './save-draft.ts';
import { mergeTexts } from './text-merge.ts';

// Wait for a pause in typing before comparing entire texts.
const PAUSE_MS = 250;

/**
 * Removes a draft once the file on disk equals what saving it would write, whichever program wrote it. Waits until
 * an open comparison is closed, because closing it at the last difference would be a surprise.
 */
const useSettledDraft = (draft: Draft | undefined, disk: FileVersion | null, compares: boolean): void => {
  const checked = useRef<FileVersion>(null);
  useEffect(() => {
    if (compares || !draft || !disk || draft.saving || disk.etag === draft.base.etag) return;
    const check = (): void => {
      if (isOnDisk(draft, disk)) drafts.remove(draft.id, draft.file);
    };
    const isNews = checked.current !== disk;
    checked.current = disk;
    if (isNews) {
      // Check immediately, so that nobody has to resolve a false conflict.
      check();
      return;
    }
    const timer = setTimeout(check, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, disk, compares]);
};

/**
 * Merges non-overlapping changes on disk into a compared draft, once per version on disk. The editor's Undo can
 * revert a merge. Returns a function that gets the text from before the first merge.
 */
const useMergedDraft = (
  draft: Draft | undefined,
  disk: FileVersion | null,
  compares: boolean,
): (() => EditedText | null) => {
  const merged = useRef<FileVersion>(null);
  const before = useRef<EditedText>(null);
  useEffect(() => {
    if (!compares) {
      merged.current = null;
      return;
    }
    if (!draft || !disk || draft.saving || disk.etag === draft.base.etag || merged.current === disk) return;
    if (merged.current === null) before.current = drafts.get(draft.id, draft.file)?.text ?? draft.text;
    merged.current = disk;
    const mine = String(drafts.get(draft.id, draft.file)?.text ?? draft.text);
    const { text } = mergeTexts(toEditorText(draft.base.content), mine, toEditorText(disk.content));
    if (text !== mine) drafts.patch(draft.id, draft.file, { text });
  }, [draft, disk, compares]);
  return () => before.current;
};

/** Clears the errors of saves that failed offline once the server responds. The text remains marked as unsaved. */
const useForgottenOutage = (): void => {
  const isOpen = useLive().state === 'open';
  useEffect(() => {
    if (!isOpen) return;
    for (const { id, file, error } of drafts.all())
      if (error?.code === 'offline') drafts.patch(id, file, { error: null });
  }, [isOpen]);
};

/** The state and actions of a file in an editor. */
export interface FileEditor {
  readonly state: FileViewState;
  readonly format: TextFormat;
  /** The text of the version that is being edited, or that was last read. */
  readonly base: string;
  /** The base version's etag. Null if the file doesn't exist. */
  readonly baseEtag: string | null;
  /** Identifies the file across all roots. */
  readonly sessionKey: string;
  /** Keeps the typed text as a draft. `isBase` means it equals `base`. */
  readonly edit: (text: EditedText, isBase: boolean) => void;
  readonly save: () => void;
  /** Overwrites the conflicting version with the draft. */
  readonly overwrite: (disk: FileVersion) => void;
  /** Saves the draft, which contains the changes in `disk`. A toast offers Undo for the merge. */
  readonly saveMerged: (disk: FileVersion) => void;
  /** Replaces the draft with the text on disk. A toast with the message `done` offers Undo. */
  readonly discard: (done: string) => void;
  /** True if the text on disk is shown next to the draft. */
  readonly compares: boolean;
  readonly compare: (show: boolean) => void;
  /** Dismisses the notice that the draft was restored. */
  readonly acknowledge: () => void;
  readonly reread: () => void;
}

/** Reads a file, keeps typed text as a draft, and saves it against the version it's based on. */
export const useFileEditor = (id: string, file: EditableFile): FileEditor => {
  const client = useQueryClient();
  const { ready, root, error: noRoot } = useDraftKeeping();
  const { data, error, refetch } = useQuery(fileQuery(id, file));
  const draft = useDraft(id, file);
  const disk = useMemo(() => versionOf({ data, error }), [data, error]);
  const baseContent = (draft?.base ?? disk)?.content ?? '';
  // Calculated once per version, not per key press, because a file can be 2 MiB.
  const base = useMemo(() => toEditorText(baseContent), [baseContent]);
  const format = useMemo(() => formatOf(baseContent), [baseContent]);
  const sessionKey = [root, id, file].join('\0');
  const [comparedKey, setComparedKey] = useState<string | null>(null);
  const compares = comparedKey === sessionKey && draft !== undefined;
  useSettledDraft(draft, disk, compares);
  const beforeMerge = useMergedDraft(draft, disk, compares);
  useForgottenOutage();

  const edit = useCallback(
    (text: EditedText, isBase: boolean) => {
      const draft = drafts.get(id, file);
      const version = draft?.base ?? disk;
      if (!version) return;
      // A running save is about to replace the base, so an undo of what it saves is a change.
      const untouched = isBase && version.etag === disk?.etag && !draft?.saving;
      // Keep a missing file's draft even if it's empty, because saving it creates the file.
      if (untouched && version.etag !== null) drafts.remove(id, file);
      else
        drafts.put({
          ...(draft ?? newDraft(root, id, file, version)),
          text,
          typedAt: Date.now(),
          error: null,
        });
    },
    [root, id, file, disk],
  );

  const save = useCallback(() => {
    if (!ready) return;
    if (!drafts.get(id, file) && disk?.etag === null) drafts.put(newDraft(root, id, file, disk));
    void saveDraft(client, id, file);
  }, [client, root, id, file, disk, ready]);

  const discard = useCallback(
    (done: string) => {
      const dropped = drafts.get(id, file);
      drafts.remove(id, file);
      if (!dropped) return;
      notifyUndoable(done, () => {
        // If a new draft exists, it was typed after this one was dropped.
        if (drafts.get(id, file)) return false;
        drafts.put({ ...dropped, saving: false, error: null });
      });
    },
    [id, file],
  );

  return {
    state: useMemo(
      // Wait until earlier drafts are restored, or the text on disk would look like the latest one.
      () => {
        if (ready) return fileState({ data, error }, draft);
        return noRoot ? { status: 'problem', error: noRoot, startable: false } : { status: 'loading' };
      },
      [ready, noRoot, data, error, draft],
    ),
    format,
    base,
    baseEtag: (draft?.base ?? disk)?.etag ?? null,
    sessionKey,
    compares,
    compare: (show) => setComparedKey(show ? sessionKey : null),
    edit,
    save,
    overwrite: (version) => void saveDraft(client, id, file, version),
    saveMerged: (version) => {
      const merged = drafts.get(id, file);
      const mine = beforeMerge();
      // With this base, lines from disk keep their line endings in the merged text.
      drafts.patch(id, file, { base: version, restoredFrom: null });
      void saveDraft(client, id, file).then((saved) => {
        if (!saved || !merged || mine === null) return;
        notifyUndoable(words.merged(file), () => {
          const current = versionOf({
            data: client.getQueryData(fileQuery(id, file).queryKey),
            error: null,
          });
          // If a new draft exists, it was typed after the merge.
          if (!current || drafts.get(id, file)) return false;
          drafts.put({ ...merged, text: mine, base: current, saving: false, error: null });
        });
      });
    },
    discard,
    acknowledge: () => drafts.patch(id, file, { restoredFrom: null }),
    reread: () => void refetch(),
  };
};

const newDraft = (root: string, id: string, file: EditableFile, base: FileVersion): Draft => ({
  root,
  id,
  file,
  text: toEditorText(base.content),
  base,
  typedAt: Date.now(),
  saving: false,
  error: null,
  restoredFrom: null,
  origin: null,
});
