import { useQuery } from '@tanstack/react-query';
import type { JsonFile } from '../../../shared/api/json-files.ts';
import { jsonFileQuery } from '../api/agent-queries.ts';
import { type ReadStatus, readStatus } from '../api/read-status.ts';

/** The text of an agent's JSON file, without possible secrets. */
export const useJsonFile = (id: string, file: JsonFile['file']): ReadStatus<JsonFile> =>
  readStatus(useQuery(jsonFileQuery(id, file)));
