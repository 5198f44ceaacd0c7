import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type LinkEntry, links } from '../../../shared/api/links.ts';
import { changeLinks, undoLinks } from '../../../shared/api/links-bulk.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import { call } from '../api/client.ts';
import { keys } from '../api/queries.ts';
import { links as words } from '../strings/links.ts';
import { strings } from '../strings.ts';
import { notify, notifyFailure } from '../ui/toast.tsx';

/** The actions on links. Each returns at once. Toasts report the result and offer Undo. */
export interface LinkActions {
  readonly link: (name: string) => void;
  readonly unlink: (entry: Pick<LinkEntry, 'name' | 'broken'>) => void;
  /** Points a broken link to the shared entry of its name. */
  readonly repair: (name: string) => void;
  /** The name of the link that is being created, repaired or removed. */
  readonly busy: string | null;
}

interface Unlinking extends Pick<LinkEntry, 'name' | 'broken'> {
  /** It undoes a link that was just created. */
  readonly isUndo: boolean;
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
        label: strings.common.undo,
        run: () => unlinking.mutate({ name, broken: false, isUndo: true }),
      }),
    onError: (error, name) => notifyFailure(words.linkFailed(name), error),
    onSettled,
  });

  const unlinking = useMutation({
    mutationFn: ({ name }: Unlinking) => call(links[kind].remove, { params: { id, name } }),
    onSuccess: (_, { name, broken, isUndo }) => {
      if (isUndo) return void notify(words.unlinkedAgainToast(name));
      const text = broken ? words.removedToast(name) : words.unlinkedToast(name);
      notify(text, { label: strings.common.undo, run: () => relinking.mutate({ name, broken }) });
    },
    onError: (error, { name }) => notifyFailure(words.unlinkFailed(name), error),
    onSettled,
  });

  const relinking = useMutation({
    mutationFn: ({ name }: Omit<Unlinking, 'isUndo'>) => call(links[kind].restore, { params: { id, name } }),
    onSuccess: (_, { name, broken }) =>
      notify(broken ? words.brokenAgainToast(name) : words.linkedAgainToast(name)),
    onError: (error, { name }) => notifyFailure(words.undoFailed(name), error),
    onSettled,
  });

  const repairing = useMutation({
    // The bulk route, because it can bring the broken link back.
    mutationFn: (name: string) =>
      call(changeLinks, { body: { link: [{ agent: id, kind, names: [name] }], replaceBroken: true } }),
    onSuccess: ({ link, undo }, name) => {
      const failed = link[0]?.failed[0];
      if (failed) notifyFailure(words.repairFailed(name), failed.error);
      else if (undo === null) notify(words.repairedToast(name));
      else
        notify(words.repairedToast(name), {
          label: strings.common.undo,
          run: () => unrepairing.mutate({ name, undo }),
        });
    },
    onError: (error, name) => notifyFailure(words.repairFailed(name), error),
    onSettled,
  });

  const unrepairing = useMutation({
    mutationFn: ({ undo }: { readonly name: string; readonly undo: string }) =>
      call(undoLinks, { params: { undo } }),
    onSuccess: ({ failed }, { name }) => {
      if (failed[0]) notifyFailure(words.undoFailed(name), failed[0].error);
      else notify(words.brokenAgainToast(name));
    },
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
