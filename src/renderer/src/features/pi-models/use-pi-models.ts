import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type AgentModels,
  changePiModels,
  getPiModels,
  type PiModelsChange,
} from '../../../../shared/api/pi-models.ts';
import { piModelsQuery } from '../../api/agent-queries.ts';
import { call, callForChange } from '../../api/client.ts';
import { btcPriceQuery, keys, profilesQuery } from '../../api/queries.ts';
import { lastRead, type ReadStatus, readStatus } from '../../api/read-status.ts';
import { common } from '../../strings/common.ts';
import { piModels as words } from '../../strings/pi-models.ts';
import { reportFailure, settleFailure } from '../../ui/failures.ts';
import { notify } from '../../ui/toast.tsx';
import { undoItem } from '../../undo-change.ts';

/** Returns an agent's providers and models. */
export const usePiModels = (id: string): ReadStatus<AgentModels> => readStatus(useQuery(piModelsQuery(id)));

/** Returns the BTC price in USD. Null if there's none yet. */
export const useBtcUsd = (): number | null => lastRead(useQuery(btcPriceQuery()))?.btc_price_usd ?? null;

/** Returns the model named in an agent's files. Undefined if there is none, or until it's loaded. */
export const useNamedModel = (id: string): string | undefined =>
  useQuery(profilesQuery()).data?.find((profile) => profile.id === id)?.model?.name;

/** A change to one entry, and its success message. */
export interface EntryChange {
  readonly body: PiModelsChange;
  /** The etag that the file must still have. */
  readonly ifMatch?: string | undefined;
  readonly done: string;
}

/** Changes an entry, and offers Undo. The caller reports failures. */
export const useChangePiModels = (id: string) => {
  const client = useQueryClient();
  const failure = `models.json of ${id}`;
  const show = (state: AgentModels): void => {
    client.setQueryData(keys.piModels(id), state);
    for (const queryKey of [keys.agentChecks(id), keys.prompts(id), keys.checkCounts, keys.entries(id)])
      void client.invalidateQueries({ queryKey });
  };
  const undo = async (change: string): Promise<void> => {
    try {
      await undoItem(change);
      show(await call(getPiModels, { params: { id } }));
      notify(words.undone);
    } catch (error) {
      reportFailure(failure, words.undoFailed, error);
    }
  };
  return useMutation({
    mutationFn: ({ body, ifMatch }: EntryChange) =>
      callForChange(changePiModels, {
        params: { id },
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
        body,
      }),
    onSuccess: ({ body: state, change }, { done }) => {
      settleFailure(failure);
      show(state);
      notify(done, change === null ? undefined : { label: common.undo, run: () => void undo(change) });
    },
  });
};
