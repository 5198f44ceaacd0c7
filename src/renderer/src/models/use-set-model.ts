import { useQueryClient } from '@tanstack/react-query';
import { after } from '../api/invalidations.ts';
import { useChange } from '../changes/changes.ts';
import { models as words } from '../strings/models.ts';
import { changeModels, revertDrafts } from './change-model.ts';

interface WantedModel {
  readonly ids: readonly string[];
  readonly name: string;
}

/** Sets the model of one or several agents in the file that names it now, and offers one Undo. */
export const useSetModels = () => {
  const client = useQueryClient();
  const failed = ({ ids }: WantedModel): string =>
    ids.length === 1 ? words.setFailed(ids.join()) : words.setAllFailed(ids.length);
  return useChange({
    make: ({ ids, name }: WantedModel) => changeModels(client, ids, name),
    said: ({ done }, { ids, name }) => {
      if (done === 0) return null;
      return ids.length === 1 ? words.set(ids.join(), name) : words.setAll(done, name);
    },
    failed,
    problem: ({ failures }, { ids }) =>
      failures[0]
        ? { title: failed({ ids: ids.slice(0, failures.length), name: '' }), error: failures[0].error }
        : null,
    refresh: ({ ids }) => [...after.agents(...ids), ...after.entries(...ids)],
    onReverted: (isUndone, changed) => revertDrafts(client, changed, isUndone),
  });
};

/** Sets the model of one agent. See {@link useSetModels}. */
export const useSetModel = (id: string) => {
  const { mutate } = useSetModels();
  return { mutate: (name: string) => mutate({ ids: [id], name }) };
};
