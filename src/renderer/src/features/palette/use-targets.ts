import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AgentListEntry, AgentSummary } from '../../../../shared/api/agents.ts';
import { byKind, EDITABLE_FILES, LINK_KINDS, type LinkKind } from '../../../../shared/api/names.ts';
import { catalogQuery, type SharedItem } from '../../api/catalog-queries.ts';
import { agentListQuery, linksQuery, modelsQuery, summaryQuery } from '../../api/queries.ts';
import { useLinkActions } from '../../changes/link-changes.ts';
import { paths } from '../../routes.ts';
import { requestEntry } from '../../shell/intents.ts';
import { recentKeys, type SearchCommand } from '../../shell/search.ts';
import { SHOWN_KINDS } from '../../strings/link-kinds.ts';
import { search as words } from '../../strings/palette.ts';
import {
  type FileTarget,
  fileOwners,
  fileTargets,
  type GroupName,
  type KnownFiles,
  namedAgents,
  type RankOptions,
  type SearchTarget,
} from './search-targets.ts';

/** How many of the best matches to load optional files for, because the agent list doesn't include them. */
const ASKED = 3;

const toKnownFiles = (results: readonly Pick<UseQueryResult<AgentSummary>, 'data'>[]): KnownFiles => {
  const byId = new Map(results.map(({ data }) => [data?.id, data]));
  return (id) => EDITABLE_FILES.filter((file) => byId.get(id)?.files[file].exists);
};

/**
 * Loads the files of the first agents. An agent that isn't loaded has no known files. Returns the same object
 * until the files change.
 */
const useKnownFiles = (ids: readonly string[]): KnownFiles =>
  useQueries({ queries: ids.slice(0, ASKED).map(summaryQuery), combine: toKnownFiles });

const toIds = (results: readonly Pick<UseQueryResult<AgentSummary>, 'data'>[]): readonly string[] =>
  results.flatMap(({ data }) => (data ? [data.id] : []));

/** Loads agents, and returns the ids of the loaded ones. Returns the same array until the ids change. */
const useRead = (ids: readonly string[]): readonly string[] =>
  useQueries({ queries: ids.map(summaryQuery), combine: toIds });

const NONE: readonly never[] = [];

interface TargetOptions {
  readonly isOpen: boolean;
  readonly query: string;
  readonly openedId: string | null;
  /** The agent that was opened last. */
  readonly lastId: string | null;
  readonly commands: readonly SearchCommand[];
  readonly commandsFor: (id: string) => readonly SearchCommand[];
  readonly settings: readonly SearchTarget[];
  readonly navigate: (path: string) => void;
}

/** The targets of the search. */
export interface Targets extends RankOptions {
  /** True if the agents aren't loaded yet. */
  readonly isLoading: boolean;
  /** Returns a recent target that still exists. */
  readonly find: (key: string) => SearchTarget | undefined;
}

const agentTarget = (id: string, navigate: (path: string) => void): SearchTarget => ({
  key: `agent:${id}`,
  title: id,
  keywords: 'open agent',
  icon: 'agents',
  run: () => navigate(paths.agent(id)),
});

const fileTarget = (
  { id, section, label, keywords = '' }: FileTarget,
  navigate: (path: string) => void,
): SearchTarget => ({
  key: `file:${id}/${label}`,
  title: `${id}/${label}`,
  keywords,
  icon: 'files',
  run: () => navigate(paths.agent(id, section)),
});

/** Returns the target of a command. */
export const commandTarget = ({ id, group, ...command }: SearchCommand): SearchTarget => ({
  ...command,
  key: `command:${id}`,
  detail: group,
  icon: 'commands',
});

/** The entries that the open agent can link. */
interface LinkTargets {
  readonly links: readonly SearchTarget[];
  /** True while these entries aren't known yet. */
  readonly isLoading: boolean;
}

type Catalogs = Readonly<Record<LinkKind, readonly SharedItem[] | undefined>>;

const toCatalogs = (results: readonly { readonly data?: readonly SharedItem[] | undefined }[]): Catalogs =>
  byKind((kind) => results[LINK_KINDS.indexOf(kind)]?.data);

/** The shared entries of all kinds. Each is undefined until loaded. */
const useCatalogs = (isWanted: boolean): Catalogs =>
  useQueries({
    queries: LINK_KINDS.map((kind) => ({ ...catalogQuery(kind), enabled: isWanted })),
    combine: toCatalogs,
  });

/**
 * The shared entries that the open agent can link, because it has no entry with their name. Loaded only when wanted.
 */
export const useLinkTargets = (id: string | null, isWanted: boolean): LinkTargets => {
  const catalogs = useCatalogs(isWanted);
  const skills = useLinkTargetsOf(id, 'skills', catalogs.skills, isWanted);
  const extensions = useLinkTargetsOf(id, 'extensions', catalogs.extensions, isWanted);
  const prompts = useLinkTargetsOf(id, 'prompts', catalogs.prompts, isWanted);
  const themes = useLinkTargetsOf(id, 'themes', catalogs.themes, isWanted);
  return useMemo(() => {
    const ofKinds = [skills, extensions, prompts, themes];
    return {
      links: ofKinds.flatMap((targets) => targets ?? NONE),
      isLoading: isWanted && id !== null && ofKinds.includes(undefined),
    };
  }, [skills, extensions, prompts, themes, isWanted, id]);
};

/** {@link useLinkTargets} for one kind. Undefined until loaded. */
const useLinkTargetsOf = (
  id: string | null,
  kind: LinkKind,
  shared: readonly SharedItem[] | undefined,
  isWanted: boolean,
): readonly SearchTarget[] | undefined => {
  const { data: own } = useQuery({ ...linksQuery(id ?? '', kind), enabled: isWanted && id !== null });
  const { link } = useLinkActions(id ?? '', kind);
  return useMemo(() => {
    if (!own || !shared || id === null) return undefined;
    const taken = new Set(own.map(({ name }) => name));
    return shared
      .filter(({ name }) => !taken.has(name))
      .map(
        ({ name, description = '' }): SearchTarget => ({
          key: `link:${kind}/${name}`,
          title: name,
          detail: words.kinds[kind],
          keywords: description.slice(0, 200),
          icon: 'links',
          run: () => link(name),
        }),
      );
  }, [id, kind, own, shared, link]);
};

/** Collects everything that the search finds in the page's memory. */
export const useTargets = (options: TargetOptions): Targets => {
  const { isOpen, query, openedId, lastId, commands, commandsFor, settings, navigate } = options;
  const { data: agents = NONE as readonly AgentListEntry[], isPending } = useQuery(agentListQuery());
  const catalogs = useCatalogs(isOpen);
  const { data: models } = useQuery({ ...modelsQuery(), enabled: isOpen });

  const fixed = useMemo(() => {
    const sharedTargets = SHOWN_KINDS.flatMap((kind) =>
      (catalogs[kind] ?? NONE).map(
        ({ name, description = '' }): SearchTarget => ({
          key: `${kind}:${name}`,
          title: name,
          detail: words.kinds[kind],
          keywords: description.slice(0, 200),
          icon: 'shared',
          run: () => navigate(paths.catalogEntry(kind, name)),
        }),
      ),
    );
    const modelTargets = (models?.models ?? NONE).map(
      ({ name }): SearchTarget => ({
        key: `model:${name}`,
        title: name,
        icon: 'models',
        run: () => {
          requestEntry({ kind: 'model', id: name });
          navigate(paths.pricing);
        },
      }),
    );
    return {
      agents: agents.map(({ id }) => agentTarget(id, navigate)),
      shared: sharedTargets,
      models: modelTargets,
      settings,
      commands: commands.map(commandTarget),
    } satisfies Partial<Record<GroupName, readonly SearchTarget[]>>;
  }, [agents, catalogs, models, settings, commands, navigate]);

  // If no agent is open, people usually mean the last one.
  const nearId = openedId ?? lastId;
  const owners = useMemo(
    () => (isOpen ? fileOwners(agents, query, nearId) : NONE),
    [isOpen, agents, query, nearId],
  );
  const ids = useMemo(() => owners.map(({ id }) => id), [owners]);
  const knownFiles = useKnownFiles(ids);
  const files = useMemo(
    () => fileTargets(owners, knownFiles).map((target) => fileTarget(target, navigate)),
    [owners, knownFiles, navigate],
  );
  const others = useMemo(() => {
    if (!isOpen || query.trim() === '') return NONE;
    // An agent's name matters only with another word. Alone, it just opens the agent.
    const named = /\S\s+\S/.test(query) ? namedAgents(agents, query).map(({ id }) => id) : NONE;
    const wanted = named.length === 0 && openedId === null && lastId !== null ? [lastId] : named;
    return wanted.filter((id) => id !== openedId);
  }, [isOpen, agents, query, openedId, lastId]);
  const readOthers = useRead(others);
  const otherCommands = useMemo(
    () => readOthers.flatMap((id) => commandsFor(id)).map(commandTarget),
    [readOthers, commandsFor],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: other tabs write the stored keys too, so each opening reads them
  const recent = useMemo(recentKeys, [isOpen]);
  return useMemo(() => {
    const targets = { ...fixed, files, commands: [...fixed.commands, ...otherCommands] };
    const find = (key: string): SearchTarget | undefined =>
      Object.values(targets)
        .flat()
        .find((target) => target.key === key);
    return { targets, recent, isLoading: isPending, find };
  }, [fixed, files, otherCommands, recent, isPending]);
};
