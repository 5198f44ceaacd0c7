import { useMemo, useSyncExternalStore } from 'react';
import type { EditableFile } from '../../../shared/api/names.ts';
import { useDraftKeeping } from './draft-keeping.tsx';
import type { DraftHead } from './draft-stores.ts';
import { type Draft, drafts } from './drafts.ts';

/** The draft of one file, if any. */
export const useDraft = (id: string, file: EditableFile): Draft | undefined =>
  useSyncExternalStore(drafts.subscribe, () => drafts.get(id, file));

/** The files of one agent that have unsaved text. Keeps its identity while the response is the same. */
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
 * The agents with unsaved text. Keeps its identity while the response is the same, so typing redraws no list.
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

/** Whether a page's draft already contains what a kept one holds. */
const contains = (draft: Draft | undefined, { writer, typedAt }: DraftHead): boolean =>
  draft?.origin?.writer === writer && draft.origin.typedAt >= typedAt;

/** The latest text that another page typed in a file and this one doesn't show; undefined without one. */
export const useOtherDraft = (id: string, file: EditableFile): DraftHead | undefined => {
  const { others } = useDraftKeeping();
  const draft = useDraft(id, file);
  return others.find((head) => head.id === id && head.file === file && !contains(draft, head));
};

/** A file with text that isn't saved, on this page or another. */
type UnsavedFile = Pick<DraftHead, 'id' | 'file'>;

/** The files with unsaved text, by agent and file. Keeps its identity while the response is the same. */
export const useUnsavedFiles = (): readonly UnsavedFile[] => {
  const { others } = useDraftKeeping();
  const joined = useSyncExternalStore(drafts.subscribe, () =>
    [...new Set([...drafts.all(), ...others].map(({ id, file }) => `${id}/${file}`))].sort().join('\n'),
  );
  return useMemo(
    () =>
      joined === ''
        ? []
        : joined.split('\n').map((entry) => {
            const [id = '', file] = entry.split('/');
            return { id, file: file as EditableFile };
          }),
    [joined],
  );
};
