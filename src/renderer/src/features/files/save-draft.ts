import type { QueryClient } from '@tanstack/react-query';
import { ROOT_HEADER } from '../../../../shared/api/endpoint.ts';
import type { AgentFile } from '../../../../shared/api/files.ts';
import { writeFile } from '../../../../shared/api/files.ts';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { showSaved } from '../../api/cache-invalidation.ts';
import { type ApiError, callForChange } from '../../api/client.ts';
import { after, refreshAfter } from '../../api/invalidations.ts';
import { keys } from '../../api/queries.ts';
import { rememberChange } from '../../changes/changes.ts';
import { type Draft, drafts, type EditedText, type FileVersion, isSameText } from '../../drafts/drafts.ts';
import { files as words } from '../../strings/files.ts';
import { toFileContent } from './line-endings.ts';

/** A running save, and the next one if it was requested in the meantime. */
interface PendingSave {
  readonly text: EditedText;
  readonly ended: Promise<boolean>;
  next: Promise<boolean> | null;
}

const pendingSaves = new Map<string, PendingSave>();

const keyOf = ({ root, id, file }: Pick<Draft, 'root' | 'id' | 'file'>): string => `${root}/${id}/${file}`;

/**
 * Writes a draft to disk if the disk still has the draft's base version, or `over`. Resolves to true if it was
 * saved or there was nothing to save. Otherwise the draft holds the error, or there is a conflict. Text typed during
 * the save stays a draft. A save requested in the meantime runs next and writes the text typed until then.
 */
export const saveDraft = (
  client: QueryClient,
  id: string,
  file: EditableFile,
  over?: FileVersion,
): Promise<boolean> => {
  const draft = drafts.get(id, file);
  if (!draft) return Promise.resolve(true);
  const key = keyOf(draft);
  const current = pendingSaves.get(key);
  if (current) {
    // If the first save fails, don't start the next one. The person decides what to do.
    current.next ??= current.ended.then((saved) => saved && saveDraft(client, id, file, over));
    return current.next;
  }
  const ended = write(client, draft, over).finally(() => pendingSaves.delete(key));
  pendingSaves.set(key, { text: draft.text, ended, next: null });
  return ended;
};

/** Waits for an agent's running saves. Returns the files that couldn't be saved. */
export const failedSaves = async (id: string): Promise<readonly EditableFile[]> => {
  const saves = drafts.of(id).map(async (draft) => {
    const save = pendingSaves.get(keyOf(draft));
    return (await (save?.next ?? save?.ended)) === false ? [draft.file] : [];
  });
  return (await Promise.all(saves)).flat();
};

const write = async (client: QueryClient, draft: Draft, over: FileVersion | undefined): Promise<boolean> => {
  const { root, id, file } = draft;
  const expected = (over ?? draft.base).etag;
  const content = toFileContent(String(draft.text), draft.base.content);
  drafts.patch(id, file, { saving: true, error: null });
  try {
    const { body, change } = await callForChange(writeFile, {
      params: { id },
      headers: {
        [ROOT_HEADER]: root,
        ...(expected === null ? { 'if-none-match': '*' } : { 'if-match': expected }),
      },
      body: { path: file, content },
    });
    const { etag } = body;
    rememberChange(words.savedFile(id, file), change);
    const written: AgentFile = { path: file, content, missing: false, etag, modifiedAt: null };
    await showSaved(client, keys.file(id, file), written);
    void refreshAfter(client, after.file(id, expected === null));
    const typed = drafts.get(id, file)?.text;
    if (typed !== undefined && isSameText(typed, draft.text)) drafts.remove(id, file);
    else drafts.patch(id, file, { saving: false, base: { content, etag } });
    return true;
  } catch (thrown) {
    const error = thrown as ApiError;
    if (error.code === 'file_changed') {
      // The conflict shows the file as it is on disk now. Read that before the draft leaves its saving state.
      await client.refetchQueries({ queryKey: keys.file(id, file) });
      drafts.patch(id, file, { saving: false });
    } else {
      drafts.patch(id, file, { saving: false, error });
    }
    return false;
  }
};

/** Saves several drafts of an agent. Stops at the first failure and returns its file, or else null. */
export const saveDrafts = async (
  client: QueryClient,
  id: string,
  files: readonly EditableFile[],
): Promise<EditableFile | null> => {
  for (const file of files) {
    if (!(await saveDraft(client, id, file))) return file;
  }
  return null;
};
