import { type AgentModels, changePiModels, getPiModels, undoPiModels } from '../../shared/api/pi-models.ts';
import type { Feature } from '../feature.ts';
import { type Caller, readerOf } from '../platform/caller.ts';
import { createFormFile, type FormFiles, type TaggedText } from '../platform/form-file.ts';
import { changedModels } from './change-models.ts';
import { entriesOf } from './models-entries.ts';
import { shapeOfModels } from './models-shape.ts';

/** Returns what a caller sees of a file. */
const toAnswer = (file: TaggedText | undefined, caller: Caller): AgentModels => {
  const models = {
    exists: file !== undefined,
    etag: file?.etag ?? null,
    ...(file ? entriesOf(file.content) : { providers: [], otherKeys: [] }),
  };
  return caller.kind === 'operator' ? models : shapeOfModels(models);
};

/** Creates the routes for agents' providers and models. */
export const createPiModels = ({ files }: { readonly files: FormFiles }): Feature => {
  const form = createFormFile(files, 'models.json');
  return {
    routes(bind) {
      bind(getPiModels, async ({ params }, caller) =>
        toAnswer(await form.read(params.id, readerOf(caller)), caller),
      );
      bind(changePiModels, async ({ params, headers, body }, caller) =>
        toAnswer(
          await form.change(
            params.id,
            { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] },
            (text) => changedModels(text, body),
          ),
          caller,
        ),
      );
      bind(undoPiModels, async ({ params, body }, caller) =>
        toAnswer(await form.undo(params.id, body.etag), caller),
      );
    },
  };
};
