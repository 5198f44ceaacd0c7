import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { LinkEntry, LinkMatrix } from '../../../shared/api/links.ts';
import { byKind, LINK_KINDS, type LinkKind } from '../../../shared/api/names.ts';
import {
  type AppliedPreset,
  applyPreset,
  deletePreset,
  listPresets,
  type Preset,
  type PresetContent,
  renamePreset,
  type WrittenPreset,
  writePreset,
} from '../../../shared/api/presets.ts';
import { matrixQuery } from '../api/catalog-queries.ts';
import { call, callForChange } from '../api/client.ts';
import { after } from '../api/invalidations.ts';
import { keys, linksQuery } from '../api/queries.ts';
import { type ReadStatus, readStatus } from '../api/read-status.ts';
import { useChange } from '../changes/changes.ts';
import { failedLinks, saidLinks } from '../changes/link-changes.ts';
import { presets as words } from '../strings/presets.ts';

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

/** Returns the message about an applied preset. Null if all of it failed. */
const saidApplied = ({ missing, mcp, ...changes }: AppliedPreset): string | null => {
  const names = missing.map(({ name }) => name);
  const added = mcp.agents.reduce((sum, { done }) => sum + done.length, 0);
  const hasLinks = changes.link.length + changes.unlink.length + names.length > 0;
  const aboutLinks =
    hasLinks || mcp.agents.length === 0
      ? saidLinks(changes, names.length > 0 ? words.missing(names) : undefined)
      : null;
  const said = [aboutLinks, added > 0 ? words.addedServers(added) : null].filter((part) => part !== null);
  return said.length > 0 ? said.join('. ') : null;
};

/** Returns what a preset didn't change, or null. */
const notApplied = ({ mcp, ...changes }: AppliedPreset) => {
  const servers = mcp.agents.flatMap(({ failed }) => failed);
  const failed = servers[0] && { title: words.serversFailed(servers.length), error: servers[0].error };
  return failedLinks(changes) ?? failed ?? null;
};

/** Applies a preset to agents, and offers Undo. */
export const useApplyPreset = (onApplied: () => void) =>
  useChange({
    make: ({ name, ...body }: { name: string; agents: string[]; unlinkOthers: boolean }) =>
      callForChange(applyPreset, { params: { name }, body }),
    said: saidApplied,
    failed: () => words.applyFailed,
    problem: notApplied,
    onMade: onApplied,
    refresh: ({ agents }) => [...after.links(...agents), ...after.entries(...agents)],
  });

/** The content that a person saves as a preset. The server copies MCP server entries from the named agents. */
export type SavedContent = Pick<PresetContent, LinkKind> & Pick<WrittenPreset, 'mcpServersFrom'>;

interface SavedPreset {
  readonly name: string;
  readonly content: SavedContent;
  readonly before?: Preset;
}

/** Creates a preset, or replaces the displayed one. */
export const useSavePreset = (onSaved: () => void) =>
  useChange({
    make: ({ name, content, before }: SavedPreset) =>
      callForChange(writePreset, {
        params: { name },
        headers: before?.etag ? { 'if-match': before.etag } : { 'if-none-match': '*' },
        body: before?.description === undefined ? content : { ...content, description: before.description },
      }),
    said: (_, { name }) => words.saved(name),
    onMade: onSaved,
    // After a failure too: another program may have written a preset in the meantime.
    refresh: after.presets(),
  });

/** Renames a preset. */
export const useRenamePreset = (onRenamed: () => void) =>
  useChange({
    make: ({ name, to }: { name: string; to: string }) =>
      callForChange(renamePreset, { params: { name }, headers: {}, body: { name: to } }),
    said: (_, { to }) => words.renamed(to),
    refresh: after.presets(),
    onRefreshed: onRenamed,
  });

/** Deletes a preset, and offers Undo. */
export const useDeletePreset = (onDeleted: () => void) =>
  useChange({
    make: (name: string) => callForChange(deletePreset, { params: { name }, headers: {} }),
    said: (_, name) => words.deleted(name),
    failed: (name) => words.deleteFailed(name),
    refresh: after.presets(),
    onRefreshed: onDeleted,
  });

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
