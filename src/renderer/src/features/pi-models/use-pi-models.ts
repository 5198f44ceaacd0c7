import { useQuery } from '@tanstack/react-query';
import type { AgentModels } from '../../../../shared/api/pi-models.ts';
import type { JsonEdit } from '../../../../shared/json-edit.ts';
import { piModelsQuery } from '../../api/agent-queries.ts';
import { after } from '../../api/invalidations.ts';
import { btcPriceQuery, profilesQuery } from '../../api/queries.ts';
import { lastRead, type ReadStatus, readStatus } from '../../api/read-status.ts';
import { useChange } from '../../changes/changes.ts';
import { editJsonFile, ifStill } from '../../json-form/json-edits.ts';
import { piModels as words } from '../../strings/pi-models.ts';

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
