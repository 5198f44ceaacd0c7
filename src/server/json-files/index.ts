import { type JsonFile, readJsonFile } from '../../shared/api/json-files.ts';
import { FORM_FILES } from '../../shared/api/names.ts';
import type { Feature } from '../feature.ts';
import { operatorRequired, readerOf } from '../platform/caller.ts';
import { type FormFiles, shownEtag } from '../platform/form-file.ts';
import { shownJson } from './shown-json.ts';

/** Returns what pi refuses in a file's text. */
type ProblemsOf = (text: string) => JsonFile['problems'];

/** Creates the route that shows agents' JSON files: without secrets to the operator, and without values to others. */
export const createJsonFiles = ({
  files,
  problemsOf,
}: {
  readonly files: Pick<FormFiles, 'readTagged'>;
  readonly problemsOf: Readonly<Record<JsonFile['file'], ProblemsOf>>;
}): Feature & {
  /** Returns a JSON file's text without what may be a secret. Undefined if dot-mi can't tell. */
  shown(path: string, text: string): string | undefined;
} => ({
  shown(path, text) {
    const name = FORM_FILES.find((file) => file === path.split('/').at(-1));
    return (name && shownJson(name, text, 'no-secrets').text) ?? undefined;
  },
  routes(bind) {
    bind(readJsonFile, async ({ params: { id, file: name }, query }, caller) => {
      const isOperator = caller.kind === 'operator';
      const isRevealed = query.reveal === 'true';
      // SECURITY: the file has every secret in it.
      if (isRevealed && !isOperator) throw operatorRequired();
      const file = await files.readTagged(id, name, readerOf(caller));
      const etag = shownEtag(caller, file);
      if (!file)
        return { file: name, exists: false, etag, value: null, text: null, hidden: [], problems: [] };
      const shows = isRevealed ? 'all' : isOperator ? 'no-secrets' : 'shape';
      const { problem, ...content } = shownJson(name, file.content, shows);
      return {
        file: name,
        exists: true,
        etag,
        ...content,
        // SECURITY: what pi refuses says something about the values.
        problems:
          problem === undefined
            ? isOperator
              ? problemsOf[name](file.content)
              : []
            : [{ path: [], message: problem }],
      };
    });
  },
});
