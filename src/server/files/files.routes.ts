import { type AgentEntries, listEntries } from '../../shared/api/entries.ts';
import { readFile, writeFile } from '../../shared/api/files.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { FilesService } from './files.service.ts';

/** Lists everything in an agent's directory. Throws `agent_not_found`, `root_unavailable`. */
type EntriesLister = (id: string) => Promise<PreparedBody<AgentEntries>>;

/** The routes of agents' editable files, and of everything else in their directories. */
export const filesRoutes =
  (files: FilesService, entries: EntriesLister): Routes =>
  (bind) => {
    bind(listEntries, ({ params }) => entries(params.id));
    bind(readFile, ({ params, query }) => files.read(params.id, query.path));
    bind(writeFile, ({ params, headers, body }) =>
      files.write(params.id, body.path, body.content, {
        ifMatch: headers['if-match'],
        ifNoneMatch: headers['if-none-match'],
      }),
    );
  };
