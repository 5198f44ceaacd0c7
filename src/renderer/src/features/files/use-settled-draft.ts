import { useEffect, useRef } from 'react';
import { type Draft, drafts, type FileVersion } from '../../drafts/drafts.ts';
import { isOnDisk } from './file-state.ts';

// To compare whole texts is nothing to do between two keys.
const PAUSE_MS = 250;

/** Removes a draft once the disk, by whomever, holds what a save of it would write. */
export const useSettledDraft = (draft: Draft | undefined, disk: FileVersion | null): void => {
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
