import { queryOptions } from '@tanstack/react-query';
import { getAgent, listAgents } from '../../../shared/api/agents.ts';
import { type AgentBudget, getBudget, listBudgets } from '../../../shared/api/budgets.ts';
import { checkAgent, countFindings } from '../../../shared/api/checks.ts';
import { listDrafts } from '../../../shared/api/drafts.ts';
import type { ResponseOf } from '../../../shared/api/endpoint.ts';
import { readFile } from '../../../shared/api/files.ts';
import { getHealth } from '../../../shared/api/health.ts';
import { countLinks, links } from '../../../shared/api/links.ts';
import type { EditableFile, LinkKind } from '../../../shared/api/names.ts';
import { getBtcPrice } from '../../../shared/api/pricing.ts';
import { listProfiles } from '../../../shared/api/profiles.ts';
import { listSignIns } from '../../../shared/api/readiness.ts';
import { getRootTrust } from '../../../shared/api/root.ts';
import { listRoots } from '../../../shared/api/roots.ts';
import { getSettings } from '../../../shared/api/settings.ts';
import { type AgentStatus, listStatus } from '../../../shared/api/status.ts';
import { listTrash } from '../../../shared/api/trash.ts';
import { call, unexpected } from './client.ts';
import { readModels } from './models.ts';

/** The cache keys, each a prefix of the keys below it: `keys.agent(id)` covers the summary and all its files. */
export const keys = {
  health: ['health'],
  agentList: ['agent-list'],
  profiles: ['profiles'],
  agents: ['agent'],
  agent: (id: string) => ['agent', id],
  summary: (id: string) => ['agent', id, 'summary'],
  file: (id: string, file: EditableFile) => ['agent', id, 'file', file],
  entries: (id: string) => ['agent', id, 'entries'],
  // Below the entries, because these files are entries.
  mcp: (id: string) => ['agent', id, 'entries', 'mcp'],
  piModels: (id: string) => ['agent', id, 'entries', 'models'],
  packages: (id: string) => ['agent', id, 'entries', 'packages'],
  piSettings: (id: string) => ['agent', id, 'entries', 'settings'],
  jsonFile: (id: string, file: string) => ['agent', id, 'entries', 'json', file],
  allPrompts: ['agent-prompt'],
  prompts: (id: string) => ['agent-prompt', id],
  prompt: (id: string, cwd: string | null) => ['agent-prompt', id, 'prompt', cwd],
  cost: (id: string) => ['agent-prompt', id, 'cost'],
  signIns: ['sign-ins'],
  readiness: (id: string) => ['agent-prompt', id, 'readiness'],
  allLinks: ['links'],
  linksOf: (id: string) => ['links', id],
  links: (id: string, kind: LinkKind) => ['links', id, kind],
  linkCounts: ['link-counts'],
  presets: ['presets'],
  changes: ['changes'],
  allMatrices: ['matrix'],
  matrix: (kind: LinkKind | 'mcp') => ['matrix', kind],
  catalogs: ['catalog'],
  catalog: (kind: LinkKind) => ['catalog', kind],
  // Below the shared entries, because a change to an entry may change its text.
  entryText: (kind: LinkKind, name: string, agent: string | undefined) => [
    'catalog',
    kind,
    'text',
    agent ?? null,
    name,
  ],
  allPromptSearches: ['prompt-search'],
  promptSearch: (text: string, limit: number) => ['prompt-search', text, limit],
  allUsage: ['usage'],
  usage: (kind: LinkKind) => ['usage', kind],
  checks: ['checks'],
  checkCounts: ['checks', 'counts'],
  agentChecks: (id: string) => ['checks', 'agent', id],
  skillChecks: (name: string) => ['checks', 'skill', name],
  trash: ['trash'],
  drafts: ['drafts'],
  settings: ['settings'],
  roots: ['roots'],
  budgets: ['budgets'],
  allBudgets: ['budgets', 'all'],
  budget: (id: string) => ['budgets', 'of', id],
  status: ['status'],
  rootTrust: ['root-trust'],
  pageKeys: ['page-keys'],
  agentKeys: ['wallet', 'agent-keys'],
  openApi: ['openapi'],
  pricing: ['pricing'],
  btcPrice: ['pricing', 'btc'],
  models: ['pricing', 'models'],
  allPriceHistory: ['pricing', 'history'],
  priceHistory: (hours: number) => ['pricing', 'history', hours],
  wallet: ['wallet'],
  walletBalance: ['wallet', 'balance'],
  walletBalanceHistory: ['wallet', 'balance-history'],
  walletMint: ['wallet', 'mint'],
  walletHistory: ['wallet', 'history'],
  walletSend: (key: string) => ['wallet', 'send', key],
  walletOperation: (id: string) => ['wallet', 'operation', id],
  walletTestTokens: ['wallet', 'test-tokens'],
  // Below the wallet, because payments change earnings.
  earnings: ['wallet', 'earnings'],
  services: ['services'],
  allSessions: ['sessions'],
  sessionsOf: (id: string) => ['sessions', id],
  // Kept out of `sessionsOf`, because only the new part of a session is read.
  transcripts: ['transcript'],
  // Kept out of `wallet`, because it reads the history only to make the server query the mint.
  walletRedeemed: ['wallet-redeemed'],
  // Kept out of `wallet`, because the event stream writes it, and no request can read it again.
  walletSearch: ['wallet-search'],
  // Kept out of `wallet`: other operations don't affect this token, and each check queries the mint.
  tokenCheck: (token: string) => ['token-check', token],
} as const;

/** Queries the API's health: its root, version and mode. */
export const healthQuery = () =>
  queryOptions({ queryKey: keys.health, queryFn: ({ signal }) => call(getHealth, { query: {} }, signal) });

/** Queries the settings. Needs the operator token. */
export const settingsQuery = () =>
  queryOptions({
    queryKey: keys.settings,
    queryFn: async ({ signal }) => {
      const body = await call(getSettings, {}, signal);
      // Another program that took the port answers, too.
      if (!Object.hasOwn(body, 'settings')) throw unexpected(200);
      return body;
    },
  });

/** Queries the operator's trust in the root. Needs the operator token. */
export const rootTrustQuery = () =>
  queryOptions({ queryKey: keys.rootTrust, queryFn: ({ signal }) => call(getRootTrust, {}, signal) });

type AgentsResponse = ResponseOf<typeof listAgents>;

const agentsAndHidden = {
  queryKey: keys.agentList,
  queryFn: ({ signal }: { signal: AbortSignal }) => call(listAgents, {}, signal),
};

/** The query behind {@link agentListQuery} and {@link hiddenFoldersQuery}, for reads outside a component. */
export const agentsResponseQuery = () => queryOptions(agentsAndHidden);

/** Queries all agents, sorted by id. The cache holds the entire response. */
export const agentListQuery = () =>
  queryOptions({ ...agentsAndHidden, select: ({ agents }: AgentsResponse) => agents });

/** Queries the ids of readable agents. Shares {@link agentListQuery}'s request. */
export const agentIdsQuery = () =>
  queryOptions({
    ...agentsAndHidden,
    select: ({ agents }: AgentsResponse) => agents.filter(({ problem }) => !problem).map(({ id }) => id),
  });

/** Queries the folders that aren't listed as agents, and why. Shares {@link agentListQuery}'s request. */
export const hiddenFoldersQuery = () =>
  queryOptions({ ...agentsAndHidden, select: ({ hidden }: AgentsResponse) => hidden });

/** Queries each agent's model, and the first line of its prompt. Omits agents with neither. */
export const profilesQuery = () =>
  queryOptions({
    queryKey: keys.profiles,
    queryFn: async ({ signal }) => (await call(listProfiles, {}, signal)).agents,
  });

/** Queries one agent, including which of its files exist. */
export const summaryQuery = (id: string) =>
  queryOptions({
    queryKey: keys.summary(id),
    queryFn: ({ signal }) => call(getAgent, { params: { id } }, signal),
  });

/** Queries a file's content and etag on disk. */
export const fileQuery = (id: string, file: EditableFile) =>
  queryOptions({
    queryKey: keys.file(id, file),
    queryFn: ({ signal }) => call(readFile, { params: { id }, query: { path: file } }, signal),
  });

/** Queries the entries in one of an agent's link folders. */
export const linksQuery = (id: string, kind: LinkKind) =>
  queryOptions({
    queryKey: keys.links(id, kind),
    queryFn: async ({ signal }) => (await call(links[kind].list, { params: { id } }, signal)).entries,
  });

/** Queries the number of each agent's links. Omits agents without links. */
export const linkCountsQuery = () =>
  queryOptions({
    queryKey: keys.linkCounts,
    queryFn: async ({ signal }) => (await call(countLinks, {}, signal)).agents,
  });

/** Queries the checks' findings for an agent. */
export const agentChecksQuery = (id: string) =>
  queryOptions({
    queryKey: keys.agentChecks(id),
    queryFn: ({ signal }) => call(checkAgent, { params: { id } }, signal),
  });

/** Queries the number of findings in each agent and shared skill. Omits entries without findings. */
export const checkCountsQuery = () =>
  queryOptions({
    queryKey: keys.checkCounts,
    queryFn: ({ signal }) => call(countFindings, {}, signal),
  });

/** Queries the deleted agents, newest first. */
export const trashQuery = () =>
  queryOptions({
    queryKey: keys.trash,
    queryFn: async ({ signal }) => (await call(listTrash, {}, signal)).entries,
  });

/** Queries the drafts of every page, latest first. Needs a signed-in page. */
export const draftListQuery = () =>
  queryOptions({
    queryKey: keys.drafts,
    queryFn: async ({ signal }) => (await call(listDrafts, { headers: {} }, signal)).drafts,
  });

// Events don't report that a price became stale, and some file systems don't report writes to the models file.
const BTC_INTERVAL_MS = 30_000;
const MODELS_INTERVAL_MS = 10_000;

/** Queries the BTC price in use. */
export const btcPriceQuery = () =>
  queryOptions({
    queryKey: keys.btcPrice,
    queryFn: ({ signal }) => call(getBtcPrice, {}, signal),
    refetchInterval: BTC_INTERVAL_MS,
  });

/** Queries the models in the models file and their prices. */
export const modelsQuery = () =>
  queryOptions({
    queryKey: keys.models,
    queryFn: ({ signal }) => readModels(signal),
    refetchInterval: MODELS_INTERVAL_MS,
    staleTime: 0,
  });

/** How often to refetch budgets, because sessions outside the root cause no events. */
const READ_BUDGETS_AGAIN_MS = 30_000;

/** Queries an agent's budget, and how much of it is used. */
export const budgetQuery = (id: string) =>
  queryOptions({
    queryKey: keys.budget(id),
    queryFn: ({ signal }) => call(getBudget, { params: { id }, query: {} }, signal),
  });

const byAgent = (all: readonly AgentBudget[]): ReadonlyMap<string, AgentBudget> =>
  new Map(all.map((budget) => [budget.agent, budget]));

/** Queries the agents with a budget, by id. */
export const budgetsQuery = () =>
  queryOptions({
    queryKey: keys.allBudgets,
    queryFn: async ({ signal }) => (await call(listBudgets, {}, signal)).budgets,
    select: byAgent,
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? READ_BUDGETS_AGAIN_MS : false),
  });

const statusByAgent = (agents: readonly AgentStatus[]): ReadonlyMap<string, AgentStatus> =>
  new Map(agents.map((status) => [status.agent, status]));

/** Queries agents' current or last status, by id. Omits agents that reported nothing. */
export const statusQuery = () =>
  queryOptions({
    queryKey: keys.status,
    queryFn: async ({ signal }) => (await call(listStatus, {}, signal)).agents,
    select: statusByAgent,
  });

/** How often to refetch the states while checks are running. */
const CHECKING_MS = 2_000;

/** Queries all agents' sign-in states, in one request. */
export const signInsQuery = () =>
  queryOptions({
    queryKey: keys.signIns,
    queryFn: ({ signal }) => call(listSignIns, {}, signal),
    refetchInterval: ({ state }) => (state.data?.checking ? CHECKING_MS : false),
  });

/** Queries the roots that the operator chose recently, and folders that look like roots. Needs the operator token. */
export const rootsQuery = () =>
  queryOptions({
    queryKey: keys.roots,
    queryFn: async ({ signal }) => (await call(listRoots, {}, signal)).roots,
  });
