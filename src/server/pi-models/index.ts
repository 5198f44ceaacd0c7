import { NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import { type AgentModels, getPiModels } from '../../shared/api/pi-models.ts';
import type { Feature } from '../feature.ts';
import { AppError, systemCode } from '../platform/app-error.ts';
import { ANYONE_READER, type Caller, readerOf } from '../platform/caller.ts';
import type { FormFiles, TaggedText } from '../platform/form-file.ts';
import { typedPricesOf } from '../platform/pi-schemas.ts';
import { editedModels } from './change-models.ts';
import { entriesOf, problemsOf } from './models-entries.ts';
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
  readonly problemsOf: typeof problemsOf;
  /** Returns the prices in an agent's models.json. Empty if dot-mi can't read it, or pi ignores it. */
  typedPrices(id: string): Promise<TypedPrices>;
}

/** Creates the route for agents' providers and models. */
export const createPiModels = ({
  files,
}: {
  readonly files: Pick<FormFiles, 'readTagged'>;
}): PiModelsFeature => ({
  edited: editedModels,
  problemsOf,
  routes(bind) {
    bind(getPiModels, async ({ params }, caller) =>
      toAnswer(await files.readTagged(params.id, 'models.json', readerOf(caller)), caller),
    );
  },
  async typedPrices(id) {
    try {
      const file = await files.readTagged(id, 'models.json', ANYONE_READER);
      return file ? typedPricesOf(file.content) : NO_TYPED_PRICES;
    } catch (error) {
      if (error instanceof AppError || systemCode(error) !== undefined) return NO_TYPED_PRICES;
      throw error;
    }
  },
});
