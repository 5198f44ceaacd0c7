import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { z } from 'zod';
import { createStore } from 'zustand/vanilla';
import { type BulkLinks, changeLinks, type LinkEntry, links } from '../../shared/api/links.ts';
import type { LinkKind } from '../../shared/api/names.ts';
import { call, callForChange } from './api/client.ts';
import { healthQuery, keys } from './api/queries.ts';
import { kept } from './kept.ts';
import { common } from './strings/common.ts';
import { linkWords as words } from './strings/links.ts';
import { matrix as matrixWords } from './strings/matrix.ts';
import { notify, notifyFailure } from './ui/toast.tsx';
import { undoItem, undoItems } from './undo-change.ts';

/** The actions on links. Each returns at once. Toasts report the result and offer Undo. */
export interface LinkActions {
  readonly link: (name: string) => void;
  readonly unlink: (entry: Pick<LinkEntry, 'name' | 'broken'>) => void;
  /** Points a broken link to the shared entry with its name. */
  readonly repair: (name: string) => void;
  /** The name of the link that is being created, repaired or removed. */
  readonly busy: string | null;
}

interface Unlinking extends Pick<LinkEntry, 'name' | 'broken'> {
  /** True if the change undoes a link that was just created. */
  readonly isUndo: boolean;
}

interface Relinking extends Pick<LinkEntry, 'name' | 'broken'> {
  /** The change that removed it. */
  readonly change: string;
}

/** Changes an agent's links of one kind. */
export const useLinkActions = (id: string, kind: LinkKind): LinkActions => {
  const client = useQueryClient();
  const onSettled = () => {
    for (const queryKey of [keys.linkCounts, keys.allUsage, keys.agentChecks(id), keys.checkCounts])
      void client.invalidateQueries({ queryKey });
    return client.invalidateQueries({ queryKey: keys.links(id, kind) });
  };

  const linking = useMutation({
    mutationFn: (name: string) => call(links[kind].create, { params: { id }, body: { name } }),
    onSuccess: (_, name) =>
      notify(words.linkedToast(name), {
        label: common.undo,
        run: () => unlinking.mutate({ name, broken: false, isUndo: true }),
      }),
    onError: (error, name) => notifyFailure(words.linkFailed(name), error),
    onSettled,
  });

  const unlinking = useMutation({
    mutationFn: ({ name }: Unlinking) => callForChange(links[kind].remove, { params: { id, name } }),
    onSuccess: ({ change }, { name, broken, isUndo }) => {
      if (isUndo) return void notify(words.unlinkedAgainToast(name));
      const text = broken ? words.removedToast(name) : words.unlinkedToast(name);
      notify(
        text,
        change === null
          ? undefined
          : { label: common.undo, run: () => relinking.mutate({ name, broken, change }) },
      );
    },
    onError: (error, { name }) => notifyFailure(words.unlinkFailed(name), error),
    onSettled,
  });

  const relinking = useMutation({
    mutationFn: ({ change }: Relinking) => undoItem(change),
    onSuccess: (_, { name, broken }) =>
      notify(broken ? words.brokenAgainToast(name) : words.linkedAgainToast(name)),
    onError: (error, { name }) => notifyFailure(words.undoFailed(name), error),
    onSettled,
  });

  const repairing = useMutation({
    // Use the bulk route, because its undo can restore the broken link.
    mutationFn: (name: string) =>
      call(changeLinks, { body: { link: [{ agent: id, kind, names: [name] }], replaceBroken: true } }),
    onSuccess: ({ link, undo }, name) => {
      const failed = link[0]?.failed[0];
      if (failed) notifyFailure(words.repairFailed(name), failed.error);
      else if (undo === null) notify(words.repairedToast(name));
      else
        notify(words.repairedToast(name), {
          label: common.undo,
          run: () => unrepairing.mutate({ name, undo }),
        });
    },
    onError: (error, name) => notifyFailure(words.repairFailed(name), error),
    onSettled,
  });

  const unrepairing = useMutation({
    mutationFn: ({ undo }: { readonly name: string; readonly undo: string }) => undoItem(undo),
    onSuccess: (_, { name }) => notify(words.brokenAgainToast(name)),
    onError: (error, { name }) => notifyFailure(words.undoFailed(name), error),
    onSettled,
  });

  const named = [unlinking, relinking, unrepairing].find(({ isPending }) => isPending)?.variables?.name;
  const byName = [linking, repairing].find(({ isPending }) => isPending)?.variables;
  return {
    link: linking.mutate,
    repair: repairing.mutate,
    unlink: ({ name, broken }) => unlinking.mutate({ name, broken, isUndo: false }),
    busy: named ?? byName ?? null,
  };
};

const changeSchema = z.object({
  /** The `rootId` of the root that changed. */
  root: z.string(),
  undo: z.string(),
  /** The message about the change. */
  said: z.string(),
  at: z.iso.datetime(),
});

/** A bulk change of links that can be undone. */
type LinkChange = z.infer<typeof changeSchema>;

const readKept = (): LinkChange | null => {
  try {
    return changeSchema.parse(JSON.parse(kept.get('last-links') ?? 'null'));
  } catch {
    return null;
  }
};

const lastChange = createStore<LinkChange | null>(readKept);
lastChange.subscribe((change) => kept.set('last-links', change === null ? null : JSON.stringify(change)));
kept.subscribe(() => {
  const change = readKept();
  if (JSON.stringify(change) !== JSON.stringify(lastChange.getState())) lastChange.setState(change, true);
});

/** Stores the last bulk change, so that it can be undone after a reload or restart. */
const keepLastLinks = (change: LinkChange): void => lastChange.setState(change, true);

/** Removes a change that was undone, unless a later one is stored. */
const forgetLastLinks = (undo: string): void => {
  if (lastChange.getState()?.undo === undo) lastChange.setState(null, true);
};

/** Returns this page's last bulk change of links in a root, or null. */
const useLastLinks = (root: string | undefined): LinkChange | null => {
  const change = useSyncExternalStore(lastChange.subscribe, lastChange.getState);
  return change?.root === root ? change : null;
};

const countDone = (responses: BulkLinks['link']): number =>
  responses.reduce((sum, { done }) => sum + done.length, 0);

const useRefreshLinks = () => {
  const client = useQueryClient();
  return () =>
    Promise.all(
      [keys.allMatrices, keys.allLinks, keys.linkCounts, keys.allUsage].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
};

/** Undoes a bulk change of links, and reports what it can't restore. */
const useUndoLinks = () => {
  const refresh = useRefreshLinks();
  return useMutation({
    mutationFn: undoItems,
    onSuccess: ({ undone, failed }, undo) => {
      if (undone > 0) notify(matrixWords.undone(undone));
      if (failed[0]) notifyFailure(matrixWords.undoFailed, failed[0].error);
      else forgetLastLinks(undo);
    },
    onError: (error, undo) => {
      if (error.code === 'change_not_found') forgetLastLinks(undo);
      notifyFailure(matrixWords.undoFailed, error);
    },
    onSettled: refresh,
  });
};

/** Returns the last bulk change of links and its undo. `change` is null if there's nothing to undo. */
export const useLastChange = (): {
  readonly change: LinkChange | null;
  readonly undo: () => void;
  readonly isPending: boolean;
} => {
  const change = useLastLinks(useQuery(healthQuery()).data?.rootId);
  const { mutate, isPending } = useUndoLinks();
  return { change, undo: () => change && mutate(change.undo), isPending };
};

/** Reports a bulk change of links, followed by `note`, with one Undo for all of it. */
export const useReportLinks = () => {
  const client = useQueryClient();
  const refresh = useRefreshLinks();
  const { mutate: undo } = useUndoLinks();
  return async ({ link, unlink, undo: id }: BulkLinks, note?: string): Promise<void> => {
    const failed = [...link, ...unlink].flatMap((response) => response.failed);
    const changed = matrixWords.changed(countDone(link), countDone(unlink));
    const said = note ? `${changed}. ${note}` : changed;
    if (id !== null) {
      const root = client.getQueryData(healthQuery().queryKey)?.rootId;
      if (root !== undefined) keepLastLinks({ root, undo: id, said: changed, at: new Date().toISOString() });
      notify(said, { label: common.undo, run: () => undo(id) });
    } else if (failed.length === 0) notify(said);
    if (failed[0]) notifyFailure(matrixWords.failed(failed.length), failed[0].error);
    await refresh();
  };
};
