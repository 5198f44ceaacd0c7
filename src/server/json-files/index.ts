import { readJsonFile } from '../../shared/api/json-files.ts';
import { FORM_FILES } from '../../shared/api/names.ts';
import type { Feature } from '../feature.ts';
import { readerOf } from '../platform/caller.ts';
import { type FormFiles, shownEtag } from '../platform/form-file.ts';
import { shownJson } from './shown-json.ts';

/** Creates the route that shows the JSON of an agent's files: without secrets to the operator, and without values to others. */
export const createJsonFiles = ({
  files,
}: {
  readonly files: Pick<FormFiles, 'readTagged'>;
}): Feature & {
  /** Returns a JSON file's text without what may be a secret. Undefined if dot-mi can't tell. */
  shown(path: string, text: string): string | undefined;
} => ({
  shown(path, text) {
    const name = FORM_FILES.find((file) => file === path.split('/').at(-1));
    return (name && shownJson(name, text, true).text) ?? undefined;
  },
  routes(bind) {
    bind(readJsonFile, async ({ params, query: { path } }, caller) => {
      const file = await files.readTagged(params.id, path, readerOf(caller));
      const showsValues = caller.kind === 'operator';
      return {
        path,
        exists: file !== undefined,
        etag: shownEtag(caller, file),
        ...(file ? shownJson(path, file.content, showsValues) : { text: null, hidden: 0 }),
      };
    });
  },
});
