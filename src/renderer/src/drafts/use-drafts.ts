import { useMemo, useSyncExternalStore } from 'react';
import type { EditableFile } from '../../../shared/api/names.ts';
import { type Draft, drafts } from './drafts.ts';

/** The draft of one file, if any. */
export const useDraft = (id: string, file: EditableFile): Draft | undefined =>
  useSyncExternalStore(drafts.subscribe, () => drafts.get(id, file));

/** The files of one agent that have unsaved text. Keeps its identity while the answer is the same. */
export const useDraftedFiles = (id: string): readonly EditableFile[] => {
  const joined = useSyncExternalStore(drafts.subscribe, () =>
    drafts
      .of(id)
      .map((draft) => draft.file)
      .join('/'),
  );
  return useMemo(() => (joined === '' ? [] : (joined.split('/') as EditableFile[])), [joined]);
};

/**
 * The agents with unsaved text. Keeps its identity while the answer is the same, so typing redraws no list.
 */
export const useDraftedAgents = (): ReadonlySet<string> => {
  const joined = useSyncExternalStore(drafts.subscribe, () =>
    drafts
      .all()
      .map((draft) => draft.id)
      .join('/'),
  );
  return useMemo(() => new Set(joined === '' ? [] : joined.split('/')), [joined]);
};
