import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { endpoints } from '../shared/api/index.ts';
import { PAGE_TOKEN_PREFIX } from '../shared/api/sign-in.ts';
import { agentsRoutes } from './agents/agents.routes.ts';
import { createAgentsService } from './agents/agents.service.ts';
import { createSetupScript } from './agents/setup-script.ts';
import { createApp } from './app.ts';
import { catalogRoutes } from './catalog/catalog.routes.ts';
import { createSkillTextReader } from './catalog/skill-text.ts';
import { checksRoutes } from './checks/checks.routes.ts';
import { openChecks } from './checks/checks.service.ts';
import type { Config } from './config.ts';
import { createDraftStore } from './drafts/draft-store.ts';
import { draftsRoutes } from './drafts/drafts.routes.ts';
import { createDraftsService } from './drafts/drafts.service.ts';
import { eventsRoutes } from './events/events.routes.ts';
import { createEventsService } from './events/events.service.ts';
import { createRootWatch } from './events/root-watch.ts';
import { createFileSnapshots } from './files/file-snapshots.ts';
import { filesRoutes } from './files/files.routes.ts';
import { createFilesService } from './files/files.service.ts';
import { createSignatures } from './files/signatures.ts';
import { healthRoutes } from './health/health.routes.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createAccessCheck } from './http/access.ts';
import { limitConnections } from './http/connections.ts';
import { createHttpServer } from './http/http-server.ts';
import { type Listening, listen } from './http/listen.ts';
import { isPublicOrigin } from './http/listen-address.ts';
import { createLoopbackGuard } from './http/loopback-guard.ts';
import { createPage } from './http/page.ts';
import { createWrongTokenBrake } from './http/wrong-tokens.ts';
import { linksRoutes } from './links/links.routes.ts';
import { createLinksService } from './links/links.service.ts';
import {
  CHECK_WORKER_URL,
  MINT_WORKER_URL,
  PAGE_DIRECTORY,
  PROMPT_WORKER_URL,
  RESOURCES_DIRECTORY,
  SCAN_WORKER_URL,
  SESSIONS_WORKER_URL,
  SIGNATURE_WORKER_URL,
  WATCH_WORKER_URL,
} from './locations.ts';
import { isOutOfFileHandles } from './platform/app-error.ts';
import { systemClock } from './platform/clock.ts';
import { createKeyedLock } from './platform/keyed-lock.ts';
import { createLogger } from './platform/logger.ts';
import { createRoot } from './platform/root.ts';
import { createScanner } from './platform/scanner.ts';
import { createShortageReport } from './platform/shortage.ts';
import { openWalletOrExplain, prepareData, STARTER_TEMPLATE } from './prepare-data.ts';
import { pricingRoutes } from './pricing/pricing.routes.ts';
import { promptRoutes } from './prompt/prompt.routes.ts';
import { createPromptService } from './prompt/prompt.service.ts';
import { rootRoutes } from './root/root.routes.ts';
import { createRootService } from './root/root.service.ts';
import { rootsRoutes } from './roots/roots.routes.ts';
import { createRootsService } from './roots/roots.service.ts';
import { searchRoutes } from './search/search.routes.ts';
import { sessionsRoutes } from './sessions/sessions.routes.ts';
import { createSessionsService } from './sessions/sessions.service.ts';
import { settingsRoutes } from './settings/settings.routes.ts';
import { createSettingsService, isFirstRun } from './settings/settings.service.ts';
import { fixedSettings } from './settings/settings-host.ts';
import { createPageKeys } from './sign-in/page-keys.ts';
import { signInRoutes } from './sign-in/sign-in.routes.ts';
import { createSignInService } from './sign-in/sign-in.service.ts';
import type { RunningServer, StartOptions } from './start-options.ts';
import { trashRoutes } from './trash/trash.routes.ts';
import { createTrashService } from './trash/trash.service.ts';
import { createRootTrust } from './trust/root-trust.ts';
import { trustRoutes } from './trust/trust.routes.ts';
import { createTrustStore } from './trust/trust-store.ts';
import { walletRoutes } from './wallet/wallet.routes.ts';
import type { ChangedAgents, Scans } from './workers/scan-worker.ts';

export type { RunningServer, StartOptions, TestingOptions } from './start-options.ts';

const SETUP_TIMEOUT_MS = 30_000;
/** Setup scripts are stopped first, so that their requests can still be answered. */
const SCRIPT_GRACE_MS = 3_500;

/** Creates a page token: 256 random bits. */
export const makePageToken = (): string => `${PAGE_TOKEN_PREFIX}${randomBytes(32).toString('hex')}`;

/**
 * Creates every part of the server, connects them, and listens. Nothing else does.
 *
 * Throws {@link StartError} if the data can't be written, or the port or the address isn't available.
 */
export const startServer = async (config: Config, options: StartOptions = {}): Promise<RunningServer> => {
  const {
    clock = systemClock,
    setupTimeoutMs = SETUP_TIMEOUT_MS,
    priceListUrls,
    linkSystem,
    ...walletTesting
  } = options.testing ?? {};
  const logger = createLogger(config.logLevel, options.logLines);
  const root = createRoot(config.rootPath ?? config.starterRootPath);
  const scanner = createScanner<Scans>(SCAN_WORKER_URL, { rootPath: root.path });
  const watchRoot = createRootWatch(WATCH_WORKER_URL, root.path, logger);
  const events = createEventsService((publish) =>
    watchRoot((found) => {
      for (const { name, data } of found)
        if (name === 'agents') scanner.inform({ changedAgents: data.ids } satisfies ChangedAgents);
      publish(found);
    }),
  );
  const [operatorToken, pricing] = await prepareData(config, {
    bundledPath: `${RESOURCES_DIRECTORY}/model_pricing.json`,
    clock,
    logger,
    publish: (data) => events.publish({ name: 'price', data }),
    priceListUrls,
  });

  const stopping = new AbortController();
  const scripts = new AbortController();
  const agentLock = createKeyedLock();
  const signatures = createSignatures(SIGNATURE_WORKER_URL, root.path);
  const prompts = createPromptService(PROMPT_WORKER_URL, root.path, config, clock);
  const snapshots = createFileSnapshots(root, clock, signatures);
  const files = createFilesService(root, snapshots, agentLock);
  const checks = openChecks(CHECK_WORKER_URL, root.path, config, files.write);
  const trash = createTrashService(root, clock, agentLock);
  const wallet = await openWalletOrExplain(config, {
    workerUrl: MINT_WORKER_URL,
    clock,
    logger,
    publish: (data) => events.publish({ name: 'wallet', data }),
    seedVault: options.seedVault,
    onWalletEvent: options.onWalletEvent,
    ...walletTesting,
  });
  const rootTrust = createRootTrust({
    root,
    store: createTrustStore(`${config.dataDirectory}/data/trusted-roots.json`, logger),
    starterRootPath: config.starterRootPath,
    starterTemplate: STARTER_TEMPLATE,
    clock,
    logger,
  });
  const sessions = createSessionsService(
    SESSIONS_WORKER_URL,
    {
      rootPath: root.path,
      databasePath: join(config.dataDirectory, 'data', 'sessions', `${root.id}.sqlite`),
    },
    pricing,
  );
  const roots = createRootsService(config, { currentPath: root.path, clock, logger });
  const agents = createAgentsService({
    root,
    list: () => scanner.scan('agents'),
    files: snapshots,
    trash,
    setupScript: createSetupScript(root, {
      requireTrusted: rootTrust.requireTrusted,
      environment: config.scriptEnvironment,
      readSearchPath: options.readSearchPath,
      systemRoot: config.systemRoot,
      timeoutMs: setupTimeoutMs,
      signal: scripts.signal,
    }),
    isRootTrusted: rootTrust.isReady,
    clock,
    agentLock,
    linkSystem,
  });

  const announceSettings = () => events.publish({ name: 'settings', data: {} });
  const reportShortage = createShortageReport(logger);
  const settings = options.settings ?? fixedSettings(config);
  const hasPage = existsSync(`${PAGE_DIRECTORY}/index.html`);
  const { version } = packageJson;
  const pageTokens = { operator: options.pageToken ?? makePageToken(), api: makePageToken() };
  let listening: Listening | undefined;
  const signIn = createSignInService({
    keys: createPageKeys(config.walletDirectory, logger),
    operatorToken,
    pageTokens,
    hasApiToken: config.apiToken !== undefined,
    ownsOrigin: (origin) =>
      isPublicOrigin(config.allowedHosts, origin) || listening?.ownsOrigin(origin) === true,
    clock,
  });
  const app = createApp({
    guard: createLoopbackGuard({ allowedHosts: config.allowedHosts, listenHost: config.host }),
    checkAccess: createAccessCheck({
      api: config.apiToken,
      operator: operatorToken.current,
      pages: pageTokens,
    }),
    wrongTokenBrake: createWrongTokenBrake(clock),
    rootId: root.id,
    routes: [
      healthRoutes(
        {
          dotMiRoot: root.path,
          rootId: root.id,
          version,
          devMode: config.devMode,
          isFirstRun: () => isFirstRun(settings.config()),
          isRootTrusted: rootTrust.isReady,
          asksForToken: config.apiToken !== undefined,
          prove: signIn.prove,
        },
        clock,
        endpoints,
      ),
      signInRoutes(signIn, announceSettings),
      agentsRoutes(agents),
      filesRoutes(files),
      checksRoutes(checks),
      promptRoutes(prompts),
      draftsRoutes(
        createDraftsService({
          store: createDraftStore(join(config.dataDirectory, 'data', 'drafts', root.id), logger),
          publish: (data) => events.publish({ name: 'drafts', data }),
          makeVersion: randomUUID,
        }),
      ),
      catalogRoutes({
        extensions: () => scanner.scan('extensions'),
        skills: () => scanner.scan('skills'),
        usage: (kind) => scanner.scan(`${kind}Usage`),
        skillText: createSkillTextReader(root),
      }),
      linksRoutes(createLinksService(root, agentLock, linkSystem), () => scanner.scan('linkCounts')),
      searchRoutes((search) => scanner.ask(search)),
      sessionsRoutes(sessions),
      trashRoutes(trash),
      walletRoutes(wallet.service),
      pricingRoutes(pricing.service),
      settingsRoutes(
        createSettingsService(settings, async (path) => {
          await rootTrust.trustChosen(path);
          await roots.remember(path);
        }),
        announceSettings,
      ),
      rootsRoutes(roots),
      rootRoutes(
        createRootService({
          root,
          homeDirectory: config.homeDirectory,
          template: STARTER_TEMPLATE,
          trust: rootTrust,
          linkSystem,
        }),
      ),
      trustRoutes(rootTrust, announceSettings),
      eventsRoutes(events),
    ],
    stopping: stopping.signal,
    page: hasPage ? createPage(PAGE_DIRECTORY) : undefined,
    logger,
    reportShortage,
  });

  const connections = limitConnections(app);
  const makeServer = () =>
    createHttpServer(connections, (error) =>
      isOutOfFileHandles(error)
        ? reportShortage(error)
        : logger.error({ err: error }, 'a connection could not be accepted'),
    );
  const server = await listen(makeServer, config.host, config.port).catch(async (error: unknown) => {
    // The host may try again with another port, in this process.
    events.close();
    await Promise.all([scanner, checks, signatures, prompts, sessions, wallet].map((part) => part.close()));
    throw error;
  });
  listening = server;
  wallet.start();
  pricing.start();
  const trustChecked = rootTrust.start();
  startHousekeeping(root, trash, stopping.signal, logger);

  return {
    url: server.url,
    pageUrl: `${server.pageOrigin}/#token=${pageTokens.operator}`,
    pageToken: pageTokens.operator,
    get operatorToken() {
      return operatorToken.current();
    },
    renewOperatorToken: operatorToken.renew,
    rootPath: root.path,
    runCommand: agents.runCommand,
    rootTrust,
    version,
    hasPage,
    wake: pricing.wake,
    async close() {
      stopping.abort();
      pricing.stop();
      const endScripts = setTimeout(() => scripts.abort(), SCRIPT_GRACE_MS);
      await server.close();
      clearTimeout(endScripts);
      events.close();
      const parts = [scanner, checks, signatures, prompts, sessions, wallet];
      await Promise.all([...parts.map((part) => part.close()), trustChecked]);
    },
  };
};
