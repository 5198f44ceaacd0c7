import type { QueryClient } from '@tanstack/react-query';
import { runCommand } from '../../../../shared/run-command.ts';
import { ApiError } from '../../api/client.ts';
import { fileQuery } from '../../api/queries.ts';

/** The run command of an agent, with the pi-args that are on disk now. Rejects when they can't be read. */
export const readRunCommand = async (
  client: QueryClient,
  { id, path }: { readonly id: string; readonly path: string },
): Promise<string> => {
  try {
    const { content } = await client.fetchQuery({ ...fileQuery(id, 'pi-args'), staleTime: 0 });
    return runCommand({ path, piArgs: content });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'file_not_found') return runCommand({ path, piArgs: '' });
    throw error;
  }
};
