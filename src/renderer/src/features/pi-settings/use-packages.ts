import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { switchPart } from '../../../../pi/package-filters.ts';
import type { PackageResource } from '../../../../pi/packages.ts';
import { type AgentPackage, type AgentPackages, changePackage } from '../../../../shared/api/packages.ts';
import { packagesQuery } from '../../api/agent-queries.ts';
import { callForChange } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { common } from '../../strings/common.ts';
import { packages as words } from '../../strings/packages.ts';
import { reportFailure, settleFailure } from '../../ui/failures.ts';
import { notify } from '../../ui/toast.tsx';
import { undoItem } from '../../undo-change.ts';

/** An agent's pi packages. Undefined until loaded. */
export const usePackages = (id: string): AgentPackages | undefined => lastRead(useQuery(packagesQuery(id)));

/** A part of a package to switch on or off. */
export interface PartSwitch {
  readonly index: number;
  readonly source: string;
  readonly kind: PackageResource;
  readonly path: string;
  readonly isOn: boolean;
}

/** A package to add, a package to remove, or a part to switch. */
type Change = { readonly add: string } | { readonly remove: AgentPackage } | { readonly switch: PartSwitch };

/** Returns the body that switches a package's part, as currently listed. Undefined if it's no longer listed. */
const switchBody = (state: AgentPackages | undefined, { index, source, kind, path, isOn }: PartSwitch) => {
  const entry = state?.packages[index];
  const part = entry?.adds?.[kind].find((one) => one.path === path);
  if (!entry || !part || entry.source !== source) return undefined;
  return { source, index, package: switchPart(entry, kind, part, isOn) };
};

/** Adds, removes or changes a package, and offers Undo. The caller reports failures. */
export const useChangePackage = (id: string) => {
  const client = useQueryClient();
  const failure = `packages of ${id}`;
  const refresh = () =>
    Promise.all(
      [keys.entries(id), keys.prompts(id), keys.agentChecks(id), keys.checkCounts].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  const undo = async (change: string): Promise<void> => {
    try {
      await undoItem(change);
      notify(words.undone);
    } catch (error) {
      reportFailure(failure, words.undoFailed, error);
    }
    await refresh();
  };
  /** Returns the current list, including the results of earlier changes. */
  const stateNow = () => client.getQueryData<AgentPackages>(keys.packages(id));
  const bodyOf = (change: Change) => {
    if ('add' in change) return { source: change.add, package: {} };
    if ('remove' in change)
      return { source: change.remove.source ?? '', index: change.remove.index, package: null };
    const body = switchBody(stateNow(), change.switch);
    if (!body) throw new Error(words.changed);
    return body;
  };
  const doneBy = (change: Change): string => {
    if ('add' in change) return words.added(change.add);
    if ('remove' in change) return words.removed(change.remove.source ?? words.noSource);
    return words.switched(change.switch.path, change.switch.isOn);
  };
  return useMutation({
    // Run changes one after the other, because a second click needs the etag from the first.
    scope: { id: failure },
    mutationFn: async (change: Change) => {
      const etag = stateNow()?.etag ?? null;
      return callForChange(changePackage, {
        params: { id },
        headers: etag === null ? { 'if-none-match': '*' } : { 'if-match': etag },
        body: bodyOf(change),
      });
    },
    async onSuccess({ body: state, change: made }, change) {
      settleFailure(failure);
      client.setQueryData(keys.packages(id), state);
      notify(doneBy(change), made === null ? undefined : { label: common.undo, run: () => void undo(made) });
      await refresh();
    },
    // Another program may have changed the file.
    onError: () => void refresh(),
  });
};
