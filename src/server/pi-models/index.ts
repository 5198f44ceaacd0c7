import { NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import { type AgentModels, changePiModels, getPiModels } from '../../shared/api/pi-models.ts';
import type { Base, Feature } from '../feature.ts';
import { AppError, systemCode } from '../platform/app-error.ts';
import { ANYONE_READER, type Caller, readerOf } from '../platform/caller.ts';
import { createFormFile, type FormFiles, type TaggedText } from '../platform/form-file.ts';
import { typedPricesOf } from '../platform/pi-schemas.ts';
import { changedModels, editedModels } from './change-models.ts';
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

interface PiModelsFeature extends Feature {
  /** Returns a models.json with these edits. */
  readonly edited: typeof editedModels;
  /** Returns the prices in an agent's models.json. Empty if dot-mi can't read it, or pi ignores it. */
  typedPrices(id: string): Promise<TypedPrices>;
}

/** Creates the routes for agents' providers and models. */
export const createPiModels = ({
  files,
  changes,
  etagOf,
}: Pick<Base, 'changes' | 'etagOf'> & { readonly files: FormFiles }): PiModelsFeature => {
  const form = createFormFile(files, changes, etagOf, 'models.json');
  return {
    edited: editedModels,
    routes(bind) {
      bind(getPiModels, async ({ params }, caller) =>
        toAnswer(await form.read(params.id, readerOf(caller)), caller),
      );
      bind(changePiModels, async ({ params, headers, body }, caller) =>
        toAnswer(
          (
            await form.change(
              params.id,
              { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] },
              (text) => changedModels(text, body),
            )
          ).file,
          caller,
        ),
      );
    },
    async typedPrices(id) {
      try {
        const file = await form.read(id, ANYONE_READER);
        return file ? typedPricesOf(file.content) : NO_TYPED_PRICES;
      } catch (error) {
        if (error instanceof AppError || systemCode(error) !== undefined) return NO_TYPED_PRICES;
        throw error;
      }
    },
  };
};
