import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Diagnostic } from '../../../../shared/api/catalog.ts';
import { type LinkEntry, links } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { extensionsQuery, skillsQuery } from '../../api/catalog-queries.ts';
import { type ApiError, call } from '../../api/client.ts';
import { keys, linksQuery } from '../../api/queries.ts';
import { links as linkTexts } from '../../strings/links.ts';
import { strings } from '../../strings.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { type LinkState, linkState, type Offer, offersOf } from './link-state.ts';

/** The parts of a shared extension or skill that linking needs. */
export interface SharedEntry {
  readonly name: string;
  readonly description?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** An agent's links, and the shared entries that it could link to. */
export type LinksStatus =
  | { readonly status: 'loading' }
  | { readonly status: 'error'; readonly error: ApiError; readonly retry: () => void }
  | {
      readonly status: 'ready';
      readonly entries: readonly LinkEntry[];
      /** The catalog by name, for the description and problems of a linked entry. */
      readonly catalog: ReadonlyMap<string, SharedEntry>;
      readonly offers: readonly Offer<SharedEntry>[];
    };

/** The actions on links. Each returns at once. Toasts report the result and offer Undo where possible. */
export interface LinkActions {
  readonly link: (name: string) => void;
  readonly unlink: (entry: LinkEntry) => void;
  /** Points a broken link to the shared entry of its name. */
  readonly repair: (name: string) => void;
  /** The name of the link that is being created, repaired or removed. */
  readonly busy: string | null;
}

/** Reads and changes an agent's links of one kind. */
export const useLinks = (id: string, kind: LinkKind): LinksStatus & { readonly actions: LinkActions } => {
  const entries = useQuery(linksQuery(id, kind));
  const catalog = useCatalogOf(kind);
  const actions = useLinkActions(id, kind);
  const error = entries.error ?? catalog.error;
  if (entries.data && catalog.data && (!error || error.code === 'offline')) {
    return {
      status: 'ready',
      entries: entries.data,
      catalog: new Map(catalog.data.map((shared) => [shared.name, shared])),
      offers: offersOf(catalog.data, entries.data),
      actions,
    };
  }
  if (!error) return { status: 'loading', actions };
  const retry = (): void => {
    void entries.refetch();
    catalog.refetch();
  };
  return { status: 'error', error, retry, actions };
};

const useCatalogOf = (
  kind: LinkKind,
): { data: readonly SharedEntry[] | undefined; error: ApiError | null; refetch: () => void } => {
  const skills = useQuery({ ...skillsQuery(), enabled: kind === 'skills' });
  const extensions = useQuery({ ...extensionsQuery(), enabled: kind === 'extensions' });
  const { data, error, refetch } = kind === 'skills' ? skills : extensions;
  return { data, error, refetch: () => void refetch() };
};

const useLinkActions = (id: string, kind: LinkKind): LinkActions => {
  const client = useQueryClient();
  const words = linkTexts;
  const onSettled = () => {
    void client.invalidateQueries({ queryKey: keys.linkCounts });
    void client.invalidateQueries({ queryKey: keys.allUsage });
    return client.invalidateQueries({ queryKey: keys.links(id, kind) });
  };

  const linking = useMutation({
    mutationFn: (name: string) => call(links[kind].create, { params: { id }, body: { name } }),
    onSuccess: (_, name) =>
      notify(words.linkedToast(name), {
        label: strings.common.undo,
        run: () => unlinking.mutate({ name, state: 'shared', isUndo: true }),
      }),
    onError: (error, name) => notifyFailure(words.linkFailed(name), error),
    onSettled,
  });
  const unlinking = useMutation({
    mutationFn: ({ name }: Unlinking) => call(links[kind].remove, { params: { id, name } }),
    onSuccess: (_, { name, state, isUndo }) => {
      if (isUndo) return;
      const text = state === 'broken' ? words.removedToast(name) : words.unlinkedToast(name);
      notify(text, { label: strings.common.undo, run: () => restoring.mutate(name) });
    },
    onError: (error, { name }) => notifyFailure(words.unlinkFailed(name), error),
    onSettled,
  });

  const restoring = useMutation({
    mutationFn: (name: string) => call(links[kind].restore, { params: { id, name } }),
    onSuccess: (_, name) => notify(words.restoredToast(name)),
    onError: (error, name) => notifyFailure(words.restoreFailed(name), error),
    onSettled,
  });

  const repairing = useMutation({
    mutationFn: (name: string) =>
      call(links[kind].create, { params: { id }, body: { name, replaceBroken: true } }),
    onSuccess: (_, name) => notify(words.repairedToast(name)),
    onError: (error, name) => notifyFailure(words.repairFailed(name), error),
    onSettled,
  });

  return {
    link: linking.mutate,
    repair: repairing.mutate,
    unlink: (entry) => unlinking.mutate({ name: entry.name, state: linkState(entry), isUndo: false }),
    busy: busyName(linking, repairing, restoring) ?? (unlinking.isPending ? unlinking.variables.name : null),
  };
};

const busyName = (
  ...mutations: readonly { readonly isPending: boolean; readonly variables: string | undefined }[]
): string | null => mutations.find(({ isPending }) => isPending)?.variables ?? null;

interface Unlinking {
  readonly name: string;
  readonly state: LinkState;
  /** It undoes a link that was just created, so it shows no toast. */
  readonly isUndo: boolean;
}
