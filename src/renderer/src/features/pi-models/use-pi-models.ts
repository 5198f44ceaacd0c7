import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { JsonFile } from '../../../../shared/api/json-files.ts';
import {
  type AgentModels,
  type FoundModels,
  findModels,
  type ModelTest,
  type TestedModel,
  testModel,
} from '../../../../shared/api/pi-models.ts';
import type { AgentReadiness } from '../../../../shared/api/readiness.ts';
import type { JsonEdit } from '../../../../shared/json-edit.ts';
import { jsonFileQuery, piModelsQuery, readinessQuery } from '../../api/agent-queries.ts';
import { type ApiError, call } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import type { PricedModel } from '../../api/models.ts';
import { btcPriceQuery, modelsQuery, profilesQuery } from '../../api/queries.ts';
import { lastRead, type ReadStatus, readStatus } from '../../api/read-status.ts';
import { useChange } from '../../changes/changes.ts';
import { editJsonFile, ifStill } from '../../json-form/json-edits.ts';
import { useSetModel } from '../../models/use-set-model.ts';
import { piModels as words } from '../../strings/pi-models.ts';
import type { CallableProvider } from './provider-presets.ts';

/** Returns an agent's providers and models. */
export const usePiModels = (id: string): ReadStatus<AgentModels> => readStatus(useQuery(piModelsQuery(id)));

/** Returns the BTC price in USD. Null if there's none yet. */
export const useBtcUsd = (): number | null => lastRead(useQuery(btcPriceQuery()))?.btc_price_usd ?? null;

/** Returns the model named in an agent's files. Undefined if there is none, or until it's loaded. */
export const useNamedModel = (id: string): string | undefined =>
  useQuery(profilesQuery()).data?.find((profile) => profile.id === id)?.model?.name;

/** Removes an entry of models.json, and offers Undo. */
export const useRemoveEntry = (id: string) =>
  useChange({
    make: ({ name, edits, etag }: EntryRemoval) =>
      editJsonFile(words.removal(name), { agent: id, json: 'models.json', edits, ...ifStill(etag) }),
    said: (_, { name }) => words.removed(name),
    failed: ({ name }) => words.failed(name),
    refresh: after.entries(id),
  });

interface EntryRemoval {
  readonly name: string;
  readonly edits: readonly JsonEdit[];
  /** The etag of the file in which the edits are right. */
  readonly etag: string | null;
}

/** Returns whether an agent can run. Undefined until it's known. */
export const useReadiness = (id: string): AgentReadiness | undefined =>
  lastRead(useQuery(readinessQuery(id)));

/** Returns the price that the models file has for a model. */
export const useListedPrice = (provider: string, model: string | undefined): PricedModel | undefined =>
  lastRead(useQuery(modelsQuery()))?.models.find(({ name }) => name === `${provider}/${model}`);

/** Fetches the models of a provider. */
export const useFindModels = (id: string) =>
  useMutation<FoundModels, ApiError, CallableProvider>({
    mutationFn: (body) => call(findModels, { params: { id }, body }),
  });

/** Sends a short prompt to a model. */
export const useTestModel = (id: string) =>
  useMutation<TestedModel, ApiError, ModelTest>({
    mutationFn: (body) => call(testModel, { params: { id }, body }),
  });

/** Models to add to models.json, and the one that the agent uses from then on. */
interface ModelsToAdd {
  /** Names the change in the history. */
  readonly label: string;
  readonly done: string;
  /** Returns the edits of the newest version of the file. Throws an error with a sentence. */
  edits(file: JsonFile): readonly JsonEdit[];
  /** With its provider. Null keeps the agent's model. */
  readonly use: string | null;
}

/** Adds models or a provider, offers Undo, and then changes the agent's model. The caller reports failures. */
export const useAddModels = (id: string) => {
  const client = useQueryClient();
  const { mutate: choose } = useSetModel(id);
  return useChange({
    async make({ label, edits }: ModelsToAdd) {
      const file = await client.fetchQuery({ ...jsonFileQuery(id, 'models.json'), staleTime: 0 });
      const item = { agent: id, json: 'models.json', edits: edits(file), ...ifStill(file.etag) } as const;
      const { change } = await editJsonFile(label, item);
      return { body: change !== null, change };
    },
    said: (isChanged, { done }) => (isChanged ? done : null),
    refresh: after.entries(id),
    onMade: (_, { use }) => {
      if (use !== null) choose(use);
    },
  });
};
