import { useMemo, useSyncExternalStore } from 'react';
import type { EditableFile } from '../../../shared/api/names.ts';
import { useDraftKeeping } from './draft-keeping.tsx';
import type { DraftHead } from './draft-stores.ts';
import { type Draft, drafts } from './drafts.ts';

/** Returns one file's draft, if any. */
export const useDraft = (id: string, file: EditableFile): Draft | undefined =>
  useSyncExternalStore(drafts.subscribe, () => drafts.get(id, file));

/** Returns one agent's files with unsaved text. The array stays the same until they change. */
export const useDraftedFiles = (id: string): readonly EditableFile[] => {
  const joined = useSyncExternalStore(drafts.subscribe, () =>
    drafts
      .of(id)
      .map((draft) => draft.file)
      .join('/'),
  );
  return useMemo(() => (joined === '' ? [] : (joined.split('/') as EditableFile[])), [joined]);
};

/** Returns the agents with unsaved text. The set stays the same until they change, so typing doesn't redraw any list. */
export const useDraftedAgents = (): ReadonlySet<string> => {
  const joined = useSyncExternalStore(drafts.subscribe, () =>
    drafts
      .all()
      .map((draft) => draft.id)
      .join('/'),
  );
  return useMemo(() => new Set(joined === '' ? [] : joined.split('/')), [joined]);
};

/** Returns whether this page's draft is based on the stored one, or on a later version of it. */
const contains = (draft: Draft | undefined, { writer, typedAt }: DraftHead): boolean =>
  draft?.origin?.writer === writer && draft.origin.typedAt >= typedAt;

/** Returns the latest draft of a file from another page, if this page doesn't show it. Otherwise undefined. */
export const useOtherDraft = (id: string, file: EditableFile): DraftHead | undefined => {
  const { others } = useDraftKeeping();
  const draft = useDraft(id, file);
  return others.find((head) => head.id === id && head.file === file && !contains(draft, head));
};

/** A file with unsaved text, on this page or another. */
type UnsavedFile = Pick<DraftHead, 'id' | 'file'>;

/** Returns the files with unsaved text, by agent and file. The array stays the same until they change. */
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
