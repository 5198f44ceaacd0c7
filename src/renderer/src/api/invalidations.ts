import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { ServerEvent } from '../../../shared/api/events.ts';
import { EDITABLE_FILES, type LinkKind } from '../../../shared/api/names.ts';
import { pageWriter } from '../random-key.ts';
import { keys } from './queries.ts';

/** The prefix of every key. */
export const EVERYTHING: QueryKey = [];

/** With more agents, refetching everything is faster than going through the keys of each. */
const MOST_AGENTS = 50;

const few = (ids: readonly string[]): string[] | null => (ids.length > MOST_AGENTS ? null : [...ids]);

/**
 * The keys to refetch after a change that this page made, by what it changed. They are those of the server's event. A
 * mutation names them as `meta: { refresh: after.wallet() }`, and other code calls {@link refreshAfter}.
 */
export const after = {
  /** Agents themselves, or their editable files. */
  agents: (...ids: readonly string[]) => staleKeys({ name: 'agents', data: { ids: few(ids), files: null } }),
  /** One editable file's text. The server's event about it follows. */
  file: (id: string, isNew: boolean) => [
    keys.summary(id),
    keys.agentChecks(id),
    keys.checkCounts,
    ...(isNew ? [keys.agentList] : []),
  ],
  links: (...ids: readonly string[]) => staleKeys({ name: 'links', data: { ids: few(ids) } }),
  /** Other files of agents, such as settings.json. */
  entries: (...ids: readonly string[]) => staleKeys({ name: 'entries', data: { ids: few(ids) } }),
  session: (id: string) => [...staleKeys({ name: 'sessions', data: { ids: [id] } }), keys.trash],
  catalog: (kind: LinkKind) => staleKeys({ name: 'catalog', data: { kinds: [kind] } }),
  presets: () => staleKeys({ name: 'presets', data: {} }),
  budget: (id: string) => [keys.budgets, ...after.links(id)],
  /** The models file. */
  models: () => staleKeys({ name: 'price', data: { btc: null, models: true } }),
  btcPrice: () => staleKeys({ name: 'price', data: { btc: null, models: false } }),
  wallet: () => [keys.wallet],
  services: () => [keys.services],
  /** An agent's service, and what its prompt says about it. */
  service: (agent: string) => [keys.services, keys.prompts(agent)],
  /** Whether the root is trusted. */
  trust: () => [keys.health],
  settings: () => [...staleKeys({ name: 'settings', data: {} }), keys.roots],
  agentKeys: () => staleKeys({ name: 'keys', data: {} }),
  signedInBrowsers: () => [keys.pageKeys],
  /** Anything in the root: what the history undoes, redoes, restores and finishes. */
  undo: () => [
    keys.agentList,
    keys.profiles,
    keys.agents,
    keys.allPrompts,
    keys.allLinks,
    keys.linkCounts,
    keys.allMatrices,
    keys.catalogs,
    keys.allUsage,
    keys.presets,
    keys.checks,
    keys.budgets,
    keys.allSessions,
    keys.trash,
    keys.changes,
  ],
} as const;

/** Refetches what a change made stale, as far as something shows it. Resolves once it's read. */
export const refreshAfter = (client: QueryClient, stale: readonly QueryKey[]): Promise<unknown> =>
  Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));

/** Returns the keys to refetch after an event. An event without agents invalidates everything. */
export const staleKeys = (event: ServerEvent): QueryKey[] => {
  switch (event.name) {
    case 'hello':
      // Another program may have changed anything between the first read and the stream.
      return [EVERYTHING];
    case 'agents': {
      if (event.data.ids === null) return [EVERYTHING];
      const files = event.data.files ?? EDITABLE_FILES;
      return [
        keys.agentList,
        keys.profiles,
        keys.allMatrices,
        // A deleted agent may be in the trash now, and a new one may have been restored from it.
        keys.trash,
        keys.checkCounts,
        ...event.data.ids.map(keys.agentChecks),
        ...event.data.ids.flatMap((id) => [
          keys.summary(id),
          keys.entries(id),
          keys.prompts(id),
          ...files.map((file) => keys.file(id, file)),
        ]),
      ];
    }
    case 'entries':
      // The checks and the prompt depend on settings.json, models.json and mcp.json. settings.json also switches links
      // off.
      return event.data.ids === null
        ? [EVERYTHING]
        : [
            ...event.data.ids.flatMap((id) => [
              keys.entries(id),
              keys.agentChecks(id),
              keys.prompts(id),
              keys.linksOf(id),
              keys.sessionsOf(id),
            ]),
            keys.allMatrices,
            keys.checkCounts,
            keys.profiles,
            // Prices in models.json count in what agents spent.
            keys.earnings,
            keys.budgets,
            // The changed entries may include auth.json.
            keys.signIns,
          ];
    case 'sessions':
      return event.data.ids === null
        ? [EVERYTHING]
        : [keys.earnings, keys.budgets, ...event.data.ids.map(keys.sessionsOf)];
    case 'links':
      return event.data.ids === null
        ? [EVERYTHING]
        : [
            ...event.data.ids.flatMap((id) => [keys.linksOf(id), keys.agentChecks(id), keys.prompts(id)]),
            keys.linkCounts,
            keys.allMatrices,
            keys.allUsage,
            keys.checkCounts,
            // pi uses the model in AGENT.md only if the agent has its extension.
            keys.profiles,
          ];
    case 'catalog':
      // A change to a target can break or fix a link.
      return [
        ...event.data.kinds.map(keys.catalog),
        keys.allLinks,
        keys.linkCounts,
        keys.allMatrices,
        keys.allUsage,
        keys.checks,
        keys.allPrompts,
        keys.presets,
      ];
    case 'presets':
      // A deleted preset may be in the trash now.
      return [keys.presets, keys.trash];
    case 'changes':
      return [keys.changes];
    case 'drafts':
      // This page already knows what it wrote.
      return event.data.writer === pageWriter ? [] : [keys.drafts];
    case 'budgets':
      return [keys.budgets];
    case 'status':
      return [keys.status];
    case 'price':
      // Costs are in sats, and checks depend on which models have prices.
      return [keys.pricing, keys.allPrompts, ...(event.data.models ? [keys.checks] : [])];
    case 'keys':
      return [keys.agentKeys];
    case 'requests':
      // No view shows the request log.
      return [];
    case 'settings':
      return [keys.settings, keys.health, keys.rootTrust, keys.pageKeys];
    case 'charge':
      // Strangers can open any number of charges, and no view shows unpaid ones.
      return event.data.state === 'open' ? [] : [keys.wallet, keys.earnings];
    case 'services':
      return [keys.services];
    case 'wallet': {
      const { operation, restore } = event.data;
      // Progress arrives many times a second. Refetch the rest when the search ends.
      const isProgress = restore != null && operation === null;
      return [isProgress ? keys.walletBalance : keys.wallet];
    }
  }
};
