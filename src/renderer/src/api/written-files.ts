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

/** Shows what was written to a file at once, and reads it again. */
export const keepWritten = async (
  client: QueryClient,
  { id, file, content, etag }: WrittenFile,
): Promise<void> => {
  // A read that began before the write would bring the old text back.
  await client.cancelQueries({ queryKey: keys.file(id, file) });
  const written: AgentFile = { path: file, content, missing: false, etag, modifiedAt: null };
  client.setQueryData(fileQuery(id, file).queryKey, written);
  // The cancelled read may have found a newer version of another program, which no further event reports.
  void client.invalidateQueries({ queryKey: keys.file(id, file) });
};

/** Reads again what depends on the files of agents. */
export const refreshAgents = (client: QueryClient, ids: readonly string[], isNewFile: boolean): void => {
  const stale = [
    ...ids.flatMap((id) => [keys.summary(id), keys.agentChecks(id)]),
    keys.checkCounts,
    ...(isNewFile ? [keys.agentList] : []),
  ];
  for (const queryKey of stale) void client.invalidateQueries({ queryKey });
};
