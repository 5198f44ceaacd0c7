import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ServerEvent } from '../shared/api/events.ts';
import type { LinkKind } from '../shared/api/names.ts';
import type { RunCommand } from '../shared/run-command.ts';
import { agentsRoutes } from './agents/agents.routes.ts';
import { createAgentsService } from './agents/agents.service.ts';
import { createSetupScript } from './agents/setup-script.ts';
import { createBudgetStore } from './budgets/budget-store.ts';
import { budgetsRoutes } from './budgets/budgets.routes.ts';
import { createBudgetsService } from './budgets/budgets.service.ts';
import { createBundledSkill } from './catalog/bundled-skill.ts';
import { catalogRoutes } from './catalog/catalog.routes.ts';
import { checksRoutes } from './checks/checks.routes.ts';
import { createChecksService } from './checks/checks.service.ts';
import type { Config } from './config.ts';
import { costRoutes } from './cost/cost.routes.ts';
import type { CostPrices } from './cost/cost.service.ts';
import { createDraftStore } from './drafts/draft-store.ts';
import { draftsRoutes } from './drafts/drafts.routes.ts';
import { createDraftsService } from './drafts/drafts.service.ts';
import { filesRoutes } from './files/files.routes.ts';
import { createFilesService } from './files/files.service.ts';
import type { Routes } from './http/bind-endpoint.ts';
import { createBulkLinks } from './links/bulk-links.ts';
import { linksRoutes } from './links/links.routes.ts';
import { createLinksService } from './links/links.service.ts';
import { createUndoStore } from './links/undo-store.ts';
import { PROMPT_WORKER_URL, RESOURCES_DIRECTORY, SESSIONS_WORKER_URL } from './locations.ts';
import type { BodyThread } from './platform/body-thread.ts';
import type { Clock } from './platform/clock.ts';
import { createKeyedLock } from './platform/keyed-lock.ts';
import type { Logger } from './platform/logger.ts';
import type { NearDisk } from './platform/near-disk.ts';
import type { Root } from './platform/root.ts';
import { presetsRoutes } from './presets/presets.routes.ts';
import { createPresetsService } from './presets/presets.service.ts';
import { createPresetsFolder } from './presets/presets-folder.ts';
import { profilesRoutes } from './profiles/profiles.routes.ts';
import { promptRoutes } from './prompt/prompt.routes.ts';
import { createPromptService } from './prompt/prompt.service.ts';
import { searchRoutes } from './search/search.routes.ts';
import { sessionsRoutes } from './sessions/sessions.routes.ts';
import {
  createSessionsService,
  type SessionsPricing,
  type SessionsService,
} from './sessions/sessions.service.ts';
import type { StartOptions } from './start-options.ts';
import { trashRoutes } from './trash/trash.routes.ts';
import { createTrashService, type TrashService } from './trash/trash.service.ts';
import type { TrustService } from './trust/root-trust.ts';
import type { Lists } from './workers/disk-worker.ts';

/** Dependencies of {@link createAgentFeatures}. */
interface AgentFeaturesDeps {
  config: Config;
  options: StartOptions;
  root: Root;
  disk: BodyThread<Lists>;
  nearDisk: NearDisk;
  /** Makes sure that an agent exists, and returns the resolved root. Throws `agent_not_found`, `root_unavailable`. */
  requireAgentNow(id: string): Promise<string>;
  rootTrust: TrustService;
  pricing: SessionsPricing & { readonly service: CostPrices };
  publish(event: ServerEvent): void;
  /** The address of dot-mi, for an agent that has a key. */
  apiUrlFor(id: string): string | undefined;
  /** Revokes all keys of an agent of this id. */
  revokeKeysOf(id: string): Promise<void>;
  clock: Clock;
  logger: Logger;
  /** Ends setup scripts. */
  scriptsSignal: AbortSignal;
}

/** The features over the agents of a root and what they share. */
interface AgentFeatures {
  readonly routes: readonly Routes[];
  readonly trash: TrashService;
  readonly usage: SessionsService['usage'];
  /** Throws what `GET /api/agents/:id/run-command` answers. */
  runCommand(id: string): Promise<RunCommand>;
  /** Starts to look at budgets from time to time. */
  start(): void;
  /** Ends their threads. */
  close(): Promise<void>;
}

const SETUP_TIMEOUT_MS = 30_000;

/** Creates and connects the features over the agents of a root. */
export const createAgentFeatures = ({
  config,
  options,
  root,
  disk,
  nearDisk,
  requireAgentNow,
  rootTrust,
  pricing,
  publish,
  apiUrlFor,
  revokeKeysOf,
  clock,
  logger,
  scriptsSignal,
}: AgentFeaturesDeps): AgentFeatures => {
  const { setupTimeoutMs = SETUP_TIMEOUT_MS, linkSystem } = options.testing ?? {};
  const dataIn = (name: string) => join(config.dataDirectory, 'data', name);
  const agentLock = createKeyedLock();
  const presetsFolder = createPresetsFolder(root);
  const trash = createTrashService(root, clock, agentLock, {
    revokeKeysOf,
    placePreset: presetsFolder.place,
  });
  const files = createFilesService({ root, nearDisk, ask: disk.ask, agentLock });
  const checks = createChecksService(disk, files.write);
  const prompts = createPromptService(PROMPT_WORKER_URL, root.path, config, clock);
  const sessions = createSessionsService(
    SESSIONS_WORKER_URL,
    {
      rootPath: root.path,
      databasePath: join(dataIn('sessions'), `${root.id}.sqlite`),
      homeDirectory: config.homeDirectory,
      directories: config.sessionDirectories,
      markerPath: join(dataIn('watch'), 'sessions'),
    },
    pricing,
  );
  const budgets = createBudgetsService({
    store: createBudgetStore(join(dataIn('budgets'), `${root.id}.json`), logger),
    usage: sessions.usage,
    requireAgent: requireAgentNow,
    publish: (data) => publish({ name: 'budgets', data }),
    onReached: options.onBudgetReached,
    clock,
    logger,
  });
  const agents = createAgentsService({
    root,
    list: () => disk.list('agents'),
    files,
    trash,
    setupScript: createSetupScript(root, {
      requireTrusted: rootTrust.requireTrusted,
      environment: config.scriptEnvironment,
      readSearchPath: options.readSearchPath,
      systemRoot: config.systemRoot,
      timeoutMs: setupTimeoutMs,
      signal: scriptsSignal,
    }),
    isRootTrusted: rootTrust.isReady,
    apiUrlFor,
    revokeKeysOf,
    hasUsedBudget: budgets.isUsed,
    clock,
    agentLock,
    linkSystem,
  });
  const drafts = createDraftsService({
    store: createDraftStore(join(dataIn('drafts'), root.id), logger),
    publish: (data) => publish({ name: 'drafts', data }),
    makeVersion: randomUUID,
  });
  const undos = createUndoStore(join(dataIn('undo'), root.id), logger);
  const bulk = createBulkLinks(root, agentLock, undos, linkSystem);
  const matrix = (kind: LinkKind) => disk.list(`${kind}Matrix`);
  const presets = createPresetsService({ folder: presetsFolder, changeLinks: bulk.change, matrix, trash });
  return {
    routes: [
      agentsRoutes(agents),
      profilesRoutes(() => disk.list('profiles')),
      filesRoutes(files, (id) => disk.ask({ entriesOf: id })),
      draftsRoutes(drafts),
      catalogRoutes({
        extensions: () => disk.list('extensions'),
        skills: () => disk.list('skills'),
        usage: (kind) => disk.list(`${kind}Usage`),
        skillText: (question) => disk.ask(question),
        bundled: createBundledSkill(root, `${RESOURCES_DIRECTORY}/starter-root`),
      }),
      checksRoutes(checks),
      promptRoutes(prompts),
      costRoutes(prompts.read, pricing.service),
      linksRoutes({
        links: createLinksService({
          root,
          agentLock,
          ask: (question) => disk.ask(question),
          nearDisk,
          system: linkSystem,
        }),
        bulk,
        count: () => disk.list('linkCounts'),
        matrix,
      }),
      presetsRoutes(presets, {
        all: () => disk.list('presets'),
        one: (name) => disk.ask({ preset: name }),
      }),
      searchRoutes((search) => disk.ask(search)),
      sessionsRoutes(sessions, {
        resumeCommand: (session) => agents.resumeCommand(session.agent, session),
        moveToTrash: (session) => trash.moveSession(session.agent, session),
      }),
      budgetsRoutes(budgets),
      trashRoutes(trash),
    ],
    trash,
    usage: sessions.usage,
    start: budgets.start,
    runCommand: agents.runCommand,
    close: async () => {
      budgets.close();
      await Promise.all([prompts, sessions].map((part) => part.close()));
    },
  };
};
