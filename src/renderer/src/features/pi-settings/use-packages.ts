import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AgentPackage, type AgentPackages, changePackage } from '../../../../shared/api/packages.ts';
import { undoPiSettings } from '../../../../shared/api/pi-settings.ts';
import { packagesQuery } from '../../api/agent-queries.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { common } from '../../strings/common.ts';
import { packages as words } from '../../strings/packages.ts';
import { reportFailure, settleFailure } from '../../ui/failures.ts';
import { notify } from '../../ui/toast.tsx';

/** An agent's pi packages. Undefined until loaded. */
export const usePackages = (id: string): AgentPackages | undefined => lastRead(useQuery(packagesQuery(id)));

/** A package to add, or the entry to remove. */
type Change = { readonly add: string } | { readonly remove: AgentPackage };

/** Adds or removes a package, and offers to undo that. The caller reports failures. */
export const useChangePackage = (id: string, etag: string | null) => {
  const client = useQueryClient();
  const failure = `packages of ${id}`;
  const refresh = () =>
    Promise.all(
      [keys.entries(id), keys.prompts(id), keys.agentChecks(id), keys.checkCounts].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  const undo = async (after: string): Promise<void> => {
    try {
      await call(undoPiSettings, { params: { id }, body: { etag: after } });
      notify(words.undone);
    } catch (error) {
      reportFailure(failure, words.undoFailed, error);
    }
    await refresh();
  };
  return useMutation({
    mutationFn: (change: Change) =>
      call(changePackage, {
        params: { id },
        headers: etag === null ? { 'if-none-match': '*' } : { 'if-match': etag },
        body:
          'add' in change
            ? { source: change.add, package: {} }
            : { source: change.remove.source ?? '', index: change.remove.index, package: null },
      }),
    async onSuccess(state, change) {
      settleFailure(failure);
      client.setQueryData(keys.packages(id), state);
      const done =
        'add' in change ? words.added(change.add) : words.removed(change.remove.source ?? words.noSource);
      const after = state.etag;
      notify(done, after === null ? undefined : { label: common.undo, run: () => void undo(after) });
      await refresh();
    },
    // Another program may have changed the file.
    onError: () => void refresh(),
  });
};
