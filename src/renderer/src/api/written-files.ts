import type { QueryClient } from '@tanstack/react-query';
import type { AgentFile } from '../../../shared/api/files.ts';
import type { EditableFile } from '../../../shared/api/names.ts';
import { fileQuery, keys } from './queries.ts';

/** A file that was just written. */
interface WrittenFile {
  readonly id: string;
  readonly file: EditableFile;
  readonly content: string;
  readonly etag: string;
}

/** Shows the text just written to a file, and refetches the file. */
export const keepWritten = async (
  client: QueryClient,
  { id, file, content, etag }: WrittenFile,
): Promise<void> => {
  // A read that began before the write would bring back the old text.
  await client.cancelQueries({ queryKey: keys.file(id, file) });
  const written: AgentFile = { path: file, content, missing: false, etag, modifiedAt: null };
  client.setQueryData(fileQuery(id, file).queryKey, written);
  // The cancelled read may have found another program's newer version, which no event reports again.
  void client.invalidateQueries({ queryKey: keys.file(id, file) });
};

/** Refetches data that depends on agents' files. */
export const refreshAgents = (client: QueryClient, ids: readonly string[], isNewFile: boolean): void => {
  const stale = [
    ...ids.flatMap((id) => [keys.summary(id), keys.agentChecks(id)]),
    keys.checkCounts,
    ...(isNewFile ? [keys.agentList] : []),
  ];
  for (const queryKey of stale) void client.invalidateQueries({ queryKey });
};
