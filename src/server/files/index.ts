import { readFile, writeFile } from '../../shared/api/files.ts';
import type { Base, Feature } from '../feature.ts';
import { readerOf } from '../platform/caller.ts';
import { createFilesService, type FilesService } from './files.service.ts';

/** Creates the routes for agents' editable files. */
export const createFiles = ({
  root,
  nearDisk,
  etagOf,
  disk,
  changes,
}: Pick<Base, 'root' | 'nearDisk' | 'etagOf' | 'disk' | 'changes'>): Feature &
  Pick<FilesService, 'write' | 'writeAll' | 'edit' | 'access' | 'readText' | 'readTagged' | 'inspect'> => {
  const files = createFilesService({ root, nearDisk, etagOf, ask: disk.ask, changes });
  return {
    routes(bind) {
      bind(readFile, ({ params, query }, caller) => files.read(params.id, query.path, readerOf(caller)));
      bind(writeFile, ({ params, headers, body }) =>
        files.write(params.id, body.path, body.content, {
          ifMatch: headers['if-match'],
          ifNoneMatch: headers['if-none-match'],
        }),
      );
    },
    write: files.write,
    writeAll: files.writeAll,
    edit: files.edit,
    access: files.access,
    readText: files.readText,
    readTagged: files.readTagged,
    inspect: files.inspect,
  };
};
