import { readFile, writeFile } from '../../shared/api/files.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { FilesService } from './files.service.ts';

/** The routes of agents' editable files. */
export const filesRoutes =
  (files: FilesService): Routes =>
  (bind) => {
    bind(readFile, ({ params, query }) => files.read(params.id, query.path));
    bind(writeFile, ({ params, headers, body }) =>
      files.write(params.id, body.path, body.content, {
        ifMatch: headers['if-match'],
        ifNoneMatch: headers['if-none-match'],
      }),
    );
  };
