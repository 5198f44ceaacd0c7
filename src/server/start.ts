import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { endpoints } from '../shared/api/index.ts';
import { PAGE_TOKEN_PREFIX } from '../shared/api/sign-in.ts';
import { PAGE_HOST, RUN_NAME_DIGITS } from '../shared/page-host.ts';
import { createAgentFeatures } from './agent-features.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { earningsRoutes } from './earnings/earnings.routes.ts';
import { createEarnings } from './earnings/earnings.service.ts';
import { eventsRoutes } from './events/events.routes.ts';
import { createEventsService } from './events/events.service.ts';
import { createRootWatch } from './events/root-watch.ts';
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
import { openKeyStore } from './keys/key-store.ts';
import { keysRoutes } from './keys/keys.routes.ts';
import { createKeysService } from './keys/keys.service.ts';
import { DISK_WORKER_URL, MINT_WORKER_URL, PAGE_DIRECTORY, RESOURCES_DIRECTORY } from './locations.ts';
import { requireAgentSync } from './platform/agent-directory.ts';
import { isOutOfFileHandles } from './platform/app-error.ts';
import { createBodyThread } from './platform/body-thread.ts';
import { systemClock } from './platform/clock.ts';
import { createLogger, createShortageReport } from './platform/logger.ts';
import { createNearDisk } from './platform/near-disk.ts';
import { createRoot } from './platform/root.ts';
import { preferencesRoutes } from './preferences/preferences.routes.ts';
import { createPreferencesService } from './preferences/preferences.service.ts';
import { openWalletOrExplain, prepareData, STARTER_TEMPLATE } from './prepare-data.ts';
import { pricingRoutes } from './pricing/pricing.routes.ts';
import { createRequestLog } from './requests/request-log.ts';
import { requestsRoutes } from './requests/requests.routes.ts';
import { rootRoutes } from './root/root.routes.ts';
import { createRootService } from './root/root.service.ts';
import { rootsRoutes } from './roots/roots.routes.ts';
import { createRootsService } from './roots/roots.service.ts';
import { settingsRoutes } from './settings/settings.routes.ts';
import { createSettingsService, isFirstRun } from './settings/settings.service.ts';
import { fixedSettings } from './settings/settings-host.ts';
import { createPageKeys } from './sign-in/page-keys.ts';
import { signInRoutes } from './sign-in/sign-in.routes.ts';
import { createSignInService } from './sign-in/sign-in.service.ts';
import type { RunningServer, StartOptions } from './start-options.ts';
import { createRootTrust } from './trust/root-trust.ts';
import { trustRoutes } from './trust/trust.routes.ts';
import { createTrustStore } from './trust/trust-store.ts';
import { createMintCheck } from './wallet/check-mint.ts';
import { walletRoutes } from './wallet/wallet.routes.ts';
import type { Asked, DiskThreadData, Lists } from './workers/disk-worker.ts';

export type { RunningServer, StartOptions, TestingOptions } from './start-options.ts';

/** Setup scripts are stopped first, so that their requests can still be answered. */
const SCRIPT_GRACE_MS = 3_500;

/** The first request to another server loads TLS, for which the first callers would wait. */
const PRICING_DELAY_MS = 250;

/** Creates a page token: 256 random bits. */
export const makePageToken = (): string => `${PAGE_TOKEN_PREFIX}${randomBytes(32).toString('hex')}`;

/** Creates the name of the page for one run, so that nothing that another program left is at its origin. */
export const makeRunHost = (): string => `${randomBytes(RUN_NAME_DIGITS / 2).toString('hex')}.${PAGE_HOST}`;

/**
 * Creates the parts of the server, connects them, and listens. `agent-features.ts` creates those over the agents.
 *
 * Throws {@link StartError} if the data can't be written, or the port or the address isn't available.
 */
export const startServer = async (config: Config, options: StartOptions = {}): Promise<RunningServer> => {
  const { clock = systemClock, priceListUrls, linkSystem, ...walletTesting } = options.testing ?? {};
  const logger = createLogger(config.logLevel, options.logLines);
  const root = createRoot(config.rootPath ?? config.starterRootPath);
  const disk = createBodyThread<Lists>(DISK_WORKER_URL, {
    rootPath: root.path,
    markerPath: `${config.dataDirectory}/data/watch/disk`,
    homeDirectory: config.homeDirectory,
    modelPricingPath: config.modelPricingPath,
    sessionDirectories: config.sessionDirectories,
  } satisfies DiskThreadData);
  const nearDisk = createNearDisk(root.path);
  // Not with Node's pool of threads, which a slow disk would fill.
  const requireAgentNow = async (id: string): Promise<string> =>
    nearDisk.read(() => requireAgentSync(root, id)) ??
    (JSON.parse((await disk.ask({ requireAgent: id } satisfies Asked)).json.toString()) as string);
  const events = createEventsService(createRootWatch(disk, logger));
  const [operatorToken, pricing] = await prepareData(config, {
    bundledPath: `${RESOURCES_DIRECTORY}/model_pricing.json`,
    clock,
    logger,
    publish: (data) => events.publish({ name: 'price', data }),
    priceListUrls,
  });

  const stopping = new AbortController();
  const scripts = new AbortController();
  const wallet = await openWalletOrExplain(config, options.needsWallet === true, {
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
  const agents = createAgentFeatures({
    config,
    options,
    root,
    disk,
    nearDisk,
    requireAgentNow,
    rootTrust,
    pricing,
    publish: events.publish,
    apiUrlFor: (id) => (agentKeys.hasKey(id) ? listening?.url : undefined),
    revokeKeysOf: async (id) => {
      if ((await agentKeys.removeOfAgent(id)) > 0) announceKeys();
    },
    clock,
    logger,
    scriptsSignal: scripts.signal,
  });
  const roots = createRootsService(config, { currentPath: root.path, clock, logger });
  const preferences = createPreferencesService(`${config.dataDirectory}/data/preferences.json`, logger);
  const announceSettings = () => events.publish({ name: 'settings', data: {} });
  const announceKeys = () => events.publish({ name: 'keys', data: {} });
  const keyStore = await openKeyStore(config.walletDirectory, { clock, logger, onUsesWritten: announceKeys });
  const agentKeys = createKeysService({
    store: keyStore,
    rootId: root.id,
    requireAgent: requireAgentNow,
    spentToday: () => wallet.service.spentTodayByKey(),
    clock,
  });
  const requestLog = createRequestLog({
    hasAgent: (id) =>
      requireAgentNow(id).then(
        () => true,
        () => false,
      ),
    announce: () => events.publish({ name: 'requests', data: {} }),
    clock,
  });
  const reportShortage = createShortageReport(logger);
  const settings = options.settings ?? fixedSettings(config);
  const hasPage = existsSync(`${PAGE_DIRECTORY}/index.html`);
  const { version } = packageJson;
  const pageTokens = { operator: options.pageToken ?? makePageToken(), api: makePageToken() };
  const runHost = options.runHost ?? makeRunHost();
  let listening: Listening | undefined;
  const signIn = createSignInService({
    keys: createPageKeys(config.walletDirectory, { clock, logger }),
    operatorToken,
    pageTokens,
    hasApiToken: config.apiToken !== undefined,
    agentKeyHashes: () => keyStore.list().map(({ hash }) => hash),
    ownsOrigin: (origin) =>
      isPublicOrigin(config.allowedHosts, origin) || listening?.ownsOrigin(origin) === true,
    clock,
  });
  const app = createApp({
    guard: createLoopbackGuard({ allowedHosts: config.allowedHosts, listenHost: config.host, runHost }),
    checkAccess: createAccessCheck({
      api: config.apiToken,
      operator: operatorToken.current,
      pages: pageTokens,
      requireKeys: config.requireKeys,
      agentKeys,
      rootId: root.id,
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
          asksForToken: config.apiToken !== undefined || config.requireKeys,
          prove: signIn.prove,
        },
        clock,
        endpoints,
      ),
      signInRoutes(signIn, announceSettings),
      keysRoutes(agentKeys, announceKeys),
      ...agents.routes,
      walletRoutes(wallet.service, root.id, createMintCheck(MINT_WORKER_URL, walletTesting.mintTimeoutMs)),
      earningsRoutes(
        createEarnings({
          isSimulated: config.devMode,
          earned: (...period) => wallet.service.earned(...period),
          usage: agents.usage,
        }),
      ),
      pricingRoutes(pricing.service),
      settingsRoutes(createSettingsService(settings, roots.remember), announceSettings),
      rootsRoutes(roots),
      preferencesRoutes(preferences),
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
      requestsRoutes(requestLog),
    ],
    stopping: stopping.signal,
    page: hasPage ? createPage(PAGE_DIRECTORY, async () => (await preferences.read()).theme) : undefined,
    logger,
    reportShortage,
  });

  const connections = limitConnections(app, requestLog.record);
  const makeServer = () =>
    createHttpServer(connections, (error) =>
      isOutOfFileHandles(error)
        ? reportShortage(error)
        : logger.error({ err: error }, 'a connection could not be accepted'),
    );
  const server = await listen(makeServer, config.host, config.port, runHost).catch(async (error: unknown) => {
    // The host may try again with another port, in this process.
    events.close();
    await Promise.all([disk.close(), agents.close(), wallet.close()]);
    throw error;
  });
  listening = server;
  wallet.start();
  const pricingStart = setTimeout(pricing.start, PRICING_DELAY_MS);
  agents.start();
  const trustChecked = rootTrust.start();
  startHousekeeping(root, agents.trash, stopping.signal, logger);

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
    walletProblem: wallet.problem,
    hasPage,
    wake: pricing.wake,
    async close() {
      stopping.abort();
      clearTimeout(pricingStart);
      pricing.stop();
      const endScripts = setTimeout(() => scripts.abort(), SCRIPT_GRACE_MS);
      await server.close();
      clearTimeout(endScripts);
      await keyStore.close();
      events.close();
      requestLog.close();
      await Promise.all([disk.close(), agents.close(), wallet.close(), trustChecked]);
    },
  };
};
