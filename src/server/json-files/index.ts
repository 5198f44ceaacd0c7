import { readJsonFile } from '../../shared/api/json-files.ts';
import type { Feature } from '../feature.ts';
import type { FormFiles } from '../platform/form-file.ts';
import { shownJson } from './shown-json.ts';

/** Creates the route that shows the JSON of an agent's files without secrets. */
export const createJsonFiles = ({ files }: { readonly files: Pick<FormFiles, 'readTagged'> }): Feature => ({
  routes(bind) {
    bind(readJsonFile, async ({ params, query: { path } }) => {
      const file = await files.readTagged(params.id, path);
      return {
        path,
        exists: file !== undefined,
        etag: file?.etag ?? null,
        ...(file ? shownJson(path, file.content) : { text: null, hidden: 0 }),
      };
    });
  },
});
