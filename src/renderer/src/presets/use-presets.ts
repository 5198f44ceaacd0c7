import { queryOptions, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { LinkEntry, LinkMatrix } from '../../../shared/api/links.ts';
import type { BulkMcp } from '../../../shared/api/mcp-result.ts';
import { byKind, LINK_KINDS, type LinkKind } from '../../../shared/api/names.ts';
import {
  applyPreset,
  deletePreset,
  listPresets,
  type Preset,
  type PresetContent,
  renamePreset,
  type WrittenPreset,
  writePreset,
} from '../../../shared/api/presets.ts';
import { restoreFromTrash } from '../../../shared/api/trash.ts';
import { matrixQuery } from '../api/catalog-queries.ts';
import { call } from '../api/client.ts';
import { keys, linksQuery } from '../api/queries.ts';
import { type ReadStatus, readStatus } from '../api/read-status.ts';
import { useReportLinks } from '../link-changes.ts';
import { common } from '../strings/common.ts';
import { mcpMatrix as mcpWords } from '../strings/mcp-matrix.ts';
import { presets as words } from '../strings/presets.ts';
import { notify, notifyFailure } from '../ui/toast.tsx';
import { undoItems } from '../undo-change.ts';

const presetsQuery = () =>
  queryOptions({
    queryKey: keys.presets,
    queryFn: async ({ signal }) => (await call(listPresets, {}, signal)).presets,
  });

/** Returns the root's presets. */
export const usePresets = (): ReadStatus<readonly Preset[]> => readStatus(useQuery(presetsQuery()));

/** Returns the presets that can be applied. Empty while they can't be loaded. */
export const useUsablePresets = (): readonly Preset[] => {
  const read = usePresets();
  return read.status === 'ready' ? read.data.filter(({ problem }) => !problem) : [];
};

const useRefresh = (): (() => Promise<void>) => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keys.presets });
};

/** Returns a query's data for each kind. Undefined until all are loaded. Stays the same object until one changes. */
const allRead = <T>(
  results: readonly { readonly data?: T | undefined }[],
): Readonly<Record<LinkKind, T>> | undefined => {
  const found = results.flatMap(({ data }) => (data === undefined ? [] : [data]));
  if (found.length < LINK_KINDS.length) return undefined;
  // `found` has one result for each kind.
  return byKind((kind) => found[LINK_KINDS.indexOf(kind)] as T);
};

/** Returns all agents and all shared entries of each kind. Undefined until loaded. */
export const useMatrices = (): Readonly<Record<LinkKind, LinkMatrix>> | undefined =>
  useQueries({ queries: LINK_KINDS.map(matrixQuery), combine: allRead<LinkMatrix> });

/** Undoes a bulk change of MCP servers, and reports what it can't restore. */
export const useUndoServers = () => {
  const client = useQueryClient();
  return async (undo: string): Promise<void> => {
    try {
      const { undone, failed } = await undoItems(undo);
      if (undone > 0) notify(mcpWords.undone(undone));
      if (failed[0]) notifyFailure(mcpWords.undoFailed, failed[0].error);
    } catch (error) {
      notifyFailure(mcpWords.undoFailed, error);
    }
    await client.invalidateQueries({ queryKey: keys.matrix('mcp') });
  };
};

/** Reports which of a preset's MCP servers were added, and offers Undo. */
const useReportServers = () => {
  const client = useQueryClient();
  const undoServers = useUndoServers();
  return async ({ agents, undo }: BulkMcp): Promise<void> => {
    const added = agents.reduce((sum, { done }) => sum + done.length, 0);
    const failed = agents.flatMap((agent) => agent.failed);
    if (added > 0)
      notify(
        words.addedServers(added),
        undo === null ? undefined : { label: common.undo, run: () => void undoServers(undo) },
      );
    if (failed[0]) notifyFailure(words.serversFailed(failed.length), failed[0].error);
    await client.invalidateQueries({ queryKey: keys.matrix('mcp') });
  };
};

/** Applies a preset to agents, and offers Undo. */
export const useApplyPreset = (onApplied: () => void) => {
  const report = useReportLinks();
  const reportServers = useReportServers();
  return useMutation({
    mutationFn: ({ name, ...body }: { name: string; agents: string[]; unlinkOthers: boolean }) =>
      call(applyPreset, { params: { name }, body }),
    onSuccess: ({ missing, mcp, ...changes }) => {
      onApplied();
      const names = missing.map(({ name }) => name);
      const hasLinks = changes.link.length + changes.unlink.length + names.length > 0;
      if (hasLinks || mcp.agents.length === 0)
        void report(changes, names.length > 0 ? words.missing(names) : undefined);
      // The change of the links includes the servers.
      void reportServers({ ...mcp, undo: hasLinks ? null : changes.undo });
    },
    onError: (error) => notifyFailure(words.applyFailed, error),
  });
};

/** The content that a person saves as a preset. The server copies MCP server entries from the named agents. */
export type SavedContent = Pick<PresetContent, LinkKind> & Pick<WrittenPreset, 'mcpServersFrom'>;

/** Creates a preset, or replaces the displayed one. */
export const useSavePreset = (onSaved: () => void) => {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ name, content, before }: { name: string; content: SavedContent; before?: Preset }) =>
      call(writePreset, {
        params: { name },
        headers: before?.etag ? { 'if-match': before.etag } : { 'if-none-match': '*' },
        body: before?.description === undefined ? content : { ...content, description: before.description },
      }),
    onSuccess: async (_, { name }) => {
      onSaved();
      notify(words.saved(name));
      await refresh();
    },
    // Another program may have written a preset in the meantime.
    onError: refresh,
  });
};

/** Renames a preset. */
export const useRenamePreset = (onRenamed: () => void) => {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ name, to }: { name: string; to: string }) =>
      call(renamePreset, { params: { name }, headers: {}, body: { name: to } }),
    onSuccess: async (_, { to }) => {
      await refresh();
      onRenamed();
      notify(words.renamed(to));
    },
  });
};

/** Deletes a preset, and offers Undo. */
export const useDeletePreset = (onDeleted: () => void) => {
  const refresh = useRefresh();
  const restore = async (name: string, entry: string): Promise<void> => {
    try {
      await call(restoreFromTrash, { params: { entry }, query: {} });
      notify(words.restored(name));
    } catch (error) {
      notifyFailure(words.restoreFailed(name), error);
    }
    await refresh();
  };
  return useMutation({
    mutationFn: (name: string) => call(deletePreset, { params: { name }, headers: {} }),
    onSuccess: async ({ entry }, name) => {
      await refresh();
      onDeleted();
      notify(words.deleted(name), { label: common.undo, run: () => void restore(name, entry) });
    },
    onError: (error, name) => notifyFailure(words.deleteFailed(name), error),
  });
};

/** Returns an agent's links as a preset's content. Undefined until loaded. */
export const useLinkedNames = (id: string): Pick<PresetContent, LinkKind> | undefined => {
  const entries = useQueries({
    queries: LINK_KINDS.map((kind) => linksQuery(id, kind)),
    combine: allRead<LinkEntry[]>,
  });
  return (
    entries &&
    byKind((kind) =>
      entries[kind].flatMap(({ name, linksToShared, broken }) => (linksToShared && !broken ? [name] : [])),
    )
  );
};
