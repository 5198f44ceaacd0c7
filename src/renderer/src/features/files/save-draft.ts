import type { QueryClient } from '@tanstack/react-query';
import type { AgentFile } from '../../../../shared/api/files.ts';
import { writeFile } from '../../../../shared/api/files.ts';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { type ApiError, call } from '../../api/client.ts';
import { fileQuery, keys } from '../../api/queries.ts';
import { drafts, type FileVersion } from '../../drafts/drafts.ts';
import { isSameText } from '../../drafts/edited-text.ts';
import { toFileContent } from './line-endings.ts';

/**
 * Writes a draft to disk, provided that the disk still holds the version the text was made from, or the one given in
 * `over`. Answers whether it did; the reason why not is in the draft, or the disk differs now and that is a conflict.
 * What is typed while the save runs stays a draft.
 */
export const saveDraft = async (
  client: QueryClient,
  id: string,
  file: EditableFile,
  over?: FileVersion,
): Promise<boolean> => {
  const draft = drafts.get(id, file);
  if (!draft || draft.saving) return false;
  const expected = (over ?? draft.base).etag;
  const content = toFileContent(String(draft.text), draft.base.content);
  drafts.patch(id, file, { saving: true, error: null });
  try {
    const { etag } = await call(writeFile, {
      params: { id },
      headers: expected === null ? { 'if-none-match': '*' } : { 'if-match': expected },
      body: { path: file, content },
    });
    // A read that began before the write would bring the old text back.
    await client.cancelQueries({ queryKey: keys.file(id, file) });
    const written: AgentFile = { path: file, content, missing: false, etag, modifiedAt: null };
    client.setQueryData(fileQuery(id, file).queryKey, written);
    void client.invalidateQueries({ queryKey: keys.summary(id) });
    if (expected === null) void client.invalidateQueries({ queryKey: keys.agentList });
    const typed = drafts.get(id, file)?.text;
    if (typed !== undefined && isSameText(typed, draft.text)) drafts.remove(id, file);
    else drafts.patch(id, file, { saving: false, base: { content, etag } });
    return true;
  } catch (thrown) {
    const error = thrown as ApiError;
    if (error.code === 'file_changed') {
      // The conflict shows what is on disk now; read it before the draft leaves its saving state.
      await client.refetchQueries({ queryKey: keys.file(id, file) });
      drafts.patch(id, file, { saving: false });
    } else {
      drafts.patch(id, file, { saving: false, error });
    }
    return false;
  }
};

/** Saves the drafts of several files of an agent; answers the first that could not be saved, where the rest waits. */
export const saveDrafts = async (
  client: QueryClient,
  id: string,
  files: readonly EditableFile[],
): Promise<EditableFile | null> => {
  for (const file of files) {
    // Another page may have saved the same text meanwhile.
    if (drafts.get(id, file) && !(await saveDraft(client, id, file))) return file;
  }
  return null;
};
