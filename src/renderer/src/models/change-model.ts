import type { QueryClient } from '@tanstack/react-query';
import { withModel } from '../../../pi/model-in-pi-args.ts';
import { readFile, writeFile } from '../../../shared/api/files.ts';
import { ApiError, call } from '../api/client.ts';
import { keys } from '../api/queries.ts';
import { keepWritten, refreshAgents } from '../api/written-files.ts';
import { type Draft, drafts, type FileVersion } from '../drafts/drafts.ts';

const FILE = 'pi-args';

/** A change to an agent's pi-args that can be undone. */
export interface ModelChange {
  readonly id: string;
  readonly before: FileVersion;
  readonly after: FileVersion;
  /** The unsaved text before and after. */
  readonly draft: { readonly before: Draft; readonly after: Draft['text'] } | undefined;
}

const read = async (id: string): Promise<FileVersion> => {
  try {
    const { content, etag } = await call(readFile, { params: { id }, query: { path: FILE } });
    return { content, etag };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'file_not_found') return { content: '', etag: null };
    throw error;
  }
};

const write = async (
  client: QueryClient,
  id: string,
  content: string,
  over: FileVersion,
): Promise<FileVersion> => {
  const headers = over.etag === null ? { 'if-none-match': '*' } : { 'if-match': over.etag };
  const { etag } = await call(writeFile, { params: { id }, headers, body: { path: FILE, content } });
  await keepWritten(client, { id, file: FILE, content, etag });
  return { content, etag };
};

/** Makes the same change in the unsaved text, so that saving it later doesn't restore the old model. */
const changeDraft = (id: string, name: string, before: FileVersion, after: FileVersion) => {
  const draft = drafts.get(id, FILE);
  if (!draft || draft.saving || draft.base.etag !== before.etag) return undefined;
  const text = withModel(String(draft.text), name);
  drafts.patch(id, FILE, { text, base: after });
  return { before: draft, after: text };
};

const isChanged = (error: unknown): boolean => error instanceof ApiError && error.code === 'file_changed';

/** Another program may write pi-args at the same time. Each attempt rereads the file and keeps the other's change. */
const ATTEMPTS = 3;

/**
 * Sets an agent's model in its pi-args, and creates the file if it's missing. Returns null if it already has that
 * model. Rejects with an `ApiError`.
 */
export const changeModel = async (
  client: QueryClient,
  id: string,
  name: string,
): Promise<ModelChange | null> => {
  for (let attempt = 1; ; attempt++) {
    const before = await read(id);
    const content = withModel(before.content, name);
    if (content === before.content) return null;
    try {
      const after = await write(client, id, content, before);
      return { id, before, after, draft: changeDraft(id, name, before, after) };
    } catch (error) {
      if (attempt === ATTEMPTS || !isChanged(error)) throw error;
    }
  }
};

/**
 * Restores pi-args, byte for byte, to its state before a change. A file that was missing becomes empty. Rejects with an
 * `ApiError`: `file_changed` if another program has written the file since.
 */
export const undoModelChange = async (client: QueryClient, change: ModelChange): Promise<string> => {
  const { id, before, after, draft } = change;
  const restored = await write(client, id, before.content, after);
  const current = drafts.get(id, FILE);
  // Keep text that was typed since the change.
  if (draft && current?.text === draft.after)
    drafts.patch(id, FILE, { text: draft.before.text, base: restored });
  return id;
};

/** Refetches data that depends on agents' models. */
export const refreshModels = (client: QueryClient, ids: readonly string[], isNewFile = false): void => {
  refreshAgents(client, ids, isNewFile);
  for (const queryKey of [keys.profiles, ...ids.map(keys.prompts)])
    void client.invalidateQueries({ queryKey });
};
