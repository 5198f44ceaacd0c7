import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteAgent } from '../../../../shared/api/agents.ts';
import type { ErrorCode } from '../../../../shared/api/errors.ts';
import { changeLinks } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { restoreFromTrash } from '../../../../shared/api/trash.ts';
import { call } from '../../api/client.ts';
import { agentListQuery, keys } from '../../api/queries.ts';
import { useReportLinks } from '../../link-changes.ts';
import { changeModel, refreshModels, undoModelChange } from '../../models/change-model.ts';
import { type Failure, runEach } from '../../run-each.ts';
import { bulk as words } from '../../strings/bulk.ts';
import { common } from '../../strings/common.ts';
import { models as modelWords } from '../../strings/models.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { neighborOf } from './use-agents.ts';

/** Reports failed requests among several, with the first reason. */
const reportFailures = (title: string, failures: readonly Failure<unknown>[]): void => {
  if (failures.length > 0) notifyFailure(title, failures[0]?.error);
};

/** Deletes several agents. One Undo restores all of them, with their drafts. */
export const useDeleteAgents = (onDeleted: (next: string | null) => void) => {
  const client = useQueryClient();
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: keys.agentList }),
      client.invalidateQueries({ queryKey: keys.trash }),
      client.invalidateQueries({ queryKey: keys.linkCounts }),
    ]);
  return useMutation({
    mutationFn: ({ ids, onProgress }: { ids: readonly string[]; onProgress: (done: number) => void }) =>
      runEach(
        ids,
        async (id) => ({
          id,
          entry: (await call(deleteAgent, { params: { id }, body: { confirm: id } })).entry,
        }),
        onProgress,
      ),
    onSuccess: ({ results, failures }) => {
      const gone = new Set(results.map(({ id }) => id));
      const ids = client.getQueryData(agentListQuery().queryKey)?.agents.map(({ id }) => id) ?? [];
      client.setQueryData(
        agentListQuery().queryKey,
        (list) => list && { ...list, agents: list.agents.filter(({ id }) => !gone.has(id)) },
      );
      onDeleted(neighborOf(ids, gone));
      for (const id of gone) {
        client.removeQueries({ queryKey: keys.agent(id) });
        client.removeQueries({ queryKey: keys.linksOf(id) });
      }
      void refresh();
      const restore = async (): Promise<void> => {
        const back = await runEach(results, async ({ id, entry }) => {
          await call(restoreFromTrash, { params: { entry }, query: {} });
          return id;
        });
        await refresh();
        if (back.results.length > 0) notify(words.restored(back.results.length));
        reportFailures(words.restoreFailed(back.failures.length), back.failures);
      };
      if (gone.size > 0) {
        notify(words.deleted(gone.size), { label: common.undo, run: () => void restore() });
      }
      reportFailures(words.deleteFailed(failures.length), failures);
    },
  });
};

/** Sets the model of several agents, with one Undo for all of them. */
export const useSetModels = (onSet: () => void) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, name }: { ids: readonly string[]; name: string }) =>
      runEach(ids, (id) => changeModel(client, id, name)),
    onSuccess: ({ results, failures }, { ids, name }) => {
      onSet();
      const changes = results.filter((change) => change !== null);
      refreshModels(
        client,
        ids,
        changes.some(({ before }) => before.etag === null),
      );
      const undo = async (): Promise<void> => {
        const back = await runEach(changes, (change) => undoModelChange(client, change));
        refreshModels(client, ids);
        if (back.results.length > 0) notify(modelWords.undoneAll(back.results.length));
        reportFailures(modelWords.undoAllFailed(back.failures.length), back.failures);
      };
      if (results.length > 0)
        notify(
          modelWords.setAll(results.length, name),
          changes.length > 0 ? { label: common.undo, run: () => void undo() } : undefined,
        );
      reportFailures(modelWords.setAllFailed(failures.length), failures);
    },
  });
};

/** Shared entries to link into agents. */
interface WantedLinks {
  readonly ids: readonly string[];
  readonly kind: LinkKind;
  readonly names: readonly string[];
}

const isTaken = ({ code }: { readonly code: ErrorCode }): boolean => code === 'link_exists';

/** Links shared entries into several agents in one request, with one Undo for all of them. */
export const useLinkAgents = (onLinked: () => void) => {
  const report = useReportLinks();
  return useMutation({
    mutationFn: ({ ids, kind, names }: WantedLinks) =>
      call(changeLinks, {
        body: { link: ids.map((agent) => ({ agent, kind, names: [...names] })), unlink: [] },
      }),
    onSuccess: (response) => {
      onLinked();
      const taken = response.link.reduce(
        (sum, { unchanged, failed }) => sum + unchanged.length + failed.filter(isTaken).length,
        0,
      );
      // An entry that an agent already has isn't a failure.
      const link = response.link.map((one) => ({
        ...one,
        failed: one.failed.filter((failure) => !isTaken(failure)),
      }));
      void report({ ...response, link }, taken > 0 ? words.taken(taken) : undefined);
    },
    onError: (error) => notifyFailure(words.linkFailed, error),
  });
};
