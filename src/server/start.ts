import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { ZodError } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { endpoints } from '../shared/api/index.ts';
import { PAGE_TOKEN_PREFIX } from '../shared/api/sign-in.ts';
import { PAGE_HOST, RUN_NAME_DIGITS } from '../shared/page-host.ts';
import { createAgents } from './agents/index.ts';
import { createApp } from './app.ts';
import { createBudgets } from './budgets/index.ts';
import { createCatalog } from './catalog/index.ts';
import { createChanges } from './changes/index.ts';
import { createChecks } from './checks/index.ts';
import type { Config } from './config.ts';
import { createCost } from './cost/index.ts';
import { createDrafts } from './drafts/index.ts';
import { createEntries } from './entries/index.ts';
import { createEvents } from './events/index.ts';
import type { Base, Feature } from './feature.ts';
import { createFiles } from './files/index.ts';
import { createHealth } from './health/index.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createAccess } from './http/access.ts';
import { createAdmission } from './http/admission.ts';
import { limitConnections } from './http/connections.ts';
import { createGuessLimit } from './http/guess-limit.ts';
import { createHttpServer, StartError } from './http/http-server.ts';
import { type Listening, listen } from './http/listen.ts';
import { isPublicOrigin } from './http/listen-address.ts';
import { createLoopbackGuard } from './http/loopback-guard.ts';
import { createPage } from './http/page.ts';
import { createJsonFiles } from './json-files/index.ts';
import { createKeys } from './keys/index.ts';
import { createLinks } from './links/index.ts';
import { DISK_WORKER_URL, PAGE_DIRECTORY, STARTER_TEMPLATE } from './locations.ts';
import { createMcp } from './mcp/index.ts';
import { createOpenApi } from './openapi/index.ts';
import { createOperatorToken } from './operator-token/index.ts';
import { createPackages } from './packages/index.ts';
import { createPageKeys } from './page-keys/index.ts';
import { createPiModels } from './pi-models/index.ts';
import { createPiSettings } from './pi-settings/index.ts';
import { requireAgentSync } from './platform/agent-directory.ts';
import { isOutOfFileHandles, systemCode } from './platform/app-error.ts';
import { createBodyThread } from './platform/body-thread.ts';
import { systemClock } from './platform/clock.ts';
import { createEtagOf } from './platform/etag.ts';
import { createPiFinder } from './platform/installed-pi.ts';
import { createFairLock } from './platform/keyed-lock.ts';
import { createLogger, createShortageReport } from './platform/logger.ts';
import { ownSearchPath } from './platform/open-to-others.ts';
import { rootOverlap } from './platform/own-data.ts';
import { NotPrivateError } from './platform/private-files.ts';
import { createRoot } from './platform/root.ts';
import { readOrMakeSecret } from './platform/secret-file.ts';
import { createPreferences } from './preferences/index.ts';
import { createPresets } from './presets/index.ts';
import { createPresetsFolder } from './presets/presets-folder.ts';
import { createPricing } from './pricing/index.ts';
import { createProfiles } from './profiles/index.ts';
import { createPrompt } from './prompt/index.ts';
import { createReadiness } from './readiness/index.ts';
import { createRequests } from './requests/index.ts';
import { createRootFeature } from './root/index.ts';
import { createRootIdentities, type RootIdentities, type RootIdentity } from './root/root-identity.ts';
import { createNearDisk } from './root-model/near-disk.ts';
import { createRoots } from './roots/index.ts';
import { createSearch } from './search/index.ts';
import { createSelling } from './selling/index.ts';
import { createSessions } from './sessions/index.ts';
import { createSessionsService } from './sessions/sessions.service.ts';
import { createSettings } from './settings/index.ts';
import { isPortFree } from './settings/port-free.ts';
import { findRunningDotMi } from './settings/running-dot-mi.ts';
import { createSignIn } from './sign-in/index.ts';
import type { RunningServer, StartOptions } from './start-options.ts';
import { ensureStarterRoot } from './starter-root.ts';
import { createStatus } from './status/index.ts';
import { createTrash } from './trash/index.ts';
import { createUsage } from './usage/index.ts';
import { createWallet } from './wallet/index.ts';
import type { Asked, DiskThreadData, Lists } from './workers/disk-worker.ts';

export type { RunningServer, StartOptions, TestingOptions } from './start-options.ts';

/** How long setup scripts have to exit. They're stopped first, so that their requests can still get a response. */
const SCRIPT_GRACE_MS = 3_500;

/** Creates a page token: 256 random bits. */
export const makePageToken = (): string => `${PAGE_TOKEN_PREFIX}${randomBytes(32).toString('hex')}`;

/** Creates the page's host name for one run, so that no other program has left anything at its origin. */
export const makeRunHost = (): string => `${randomBytes(RUN_NAME_DIGITS / 2).toString('hex')}.${PAGE_HOST}`;

/** Resolves to the result of `opening`. Throws {@link StartError} if the data directory isn't writable or private. */
const orExplain = async <T>(opening: Promise<T>): Promise<T> => {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof NotPrivateError) throw new StartError(`dot-mi could not start: ${error.message}`);
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new StartError(
      `dot-mi can't write its data (${code}). Start it in a writable directory, or set WALLET_DB_PATH, MODEL_PRICING_PATH and DOT_MI_ROOT to writable paths.`,
    );
  }
};

/** Identifies the root. Throws {@link StartError} if dot-mi's list of roots is damaged. */
const identifyOrExplain = async (identities: RootIdentities, path: string): Promise<RootIdentity> =>
  orExplain(identities.identify(path)).catch((error: unknown) => {
    if (!(error instanceof SyntaxError || error instanceof ZodError)) throw error;
    throw new StartError(
      'dot-mi can’t read data/root-ids.json, so it doesn’t know which budgets and keys belong to this root. Repair the file, or delete it and set them again.',
    );
  });

/**
 * Creates every part of the server, connects them, and listens. Each part is created after its dependencies.
 *
 * Throws {@link StartError} if the root and dot-mi's own data overlap, data can't be written, or the port or address
 * isn't available.
 */
export const startServer = async (config: Config, options: StartOptions = {}): Promise<RunningServer> => {
  const {
    clock = systemClock,
    priceListUrls,
    refreshPauseMs,
    linkSystem,
    ...testing
  } = options.testing ?? {};
  const logger = createLogger(config.logLevel, options.logLines);
  const rootPath = config.rootPath ?? config.starterRootPath;
  const overlap = rootOverlap(rootPath, config);
  if (overlap !== undefined) throw new StartError(`dot-mi could not start: ${overlap}`);
  if (config.rootPath === undefined) await orExplain(ensureStarterRoot(rootPath, STARTER_TEMPLATE));
  const identities = createRootIdentities(`${config.dataDirectory}/data/root-ids.json`);
  const root = { ...createRoot(rootPath), id: (await identifyOrExplain(identities, rootPath)).id };
  const installationKey = await orExplain(readOrMakeSecret(`${config.dataDirectory}/data/installation-key`));
  const etagOf = createEtagOf(installationKey);
  const { version } = packageJson;
  const pageTokens = { operator: options.pageToken ?? makePageToken(), api: makePageToken() };
  const runHost = options.runHost ?? makeRunHost();

  /** The parts that were created, in this order. */
  const parts: Partial<Feature>[] = [];
  const add = <P extends Partial<Feature>>(part: P): P => {
    parts.push(part);
    return part;
  };
  const closeParts = () => Promise.all(parts.toReversed().map((part) => part.close?.()));

  const disk = add(
    createBodyThread<Lists, Asked>(DISK_WORKER_URL, {
      rootPath: root.path,
      installationKey,
      markerPath: `${config.dataDirectory}/data/watch/disk`,
      homeDirectory: config.homeDirectory,
      modelPricingPath: config.modelPricingPath,
      sessionDirectories: config.sessionDirectories,
    } satisfies DiskThreadData),
  );
  const events = add(createEvents({ disk, logger }));
  const nearDisk = createNearDisk(root.path);
  const readUserPath = async () => (await options.readSearchPath?.()) ?? config.scriptEnvironment.PATH ?? '';
  const agentLock = createFairLock();
  const { changes } = add(
    createChanges({
      config,
      root,
      disk,
      agentLock,
      clock,
      logger,
      etagOf,
      publish: events.publish,
      follow: events.follow,
      limits: testing.journalLimits,
      lookTimes: testing.lookTimes,
      parts: () => ({
        access: {
          files: files.access,
          links: links.access,
          agents: agents.access,
          sessions: trash.sessions,
        },
        file: (id, name, conditions, content) => files.edit(id, name, conditions, () => content ?? undefined),
        json: (id, name, conditions, edits) =>
          files.edit(id, name, conditions, (text) => jsonEditors()[name](text, edits)),
        link: (id, { kind, name }, isLinked) => links.item(id, kind, name, isLinked),
        deletion: (id) => agents.deletion(id),
        shownJson: jsonFiles.shown,
        costsBetween: sessionFiles.costsBetween,
        removeTrash: trash.remove,
      }),
    }),
  );
  /** Each edits a file by paths, by its own rules. */
  const jsonEditors = () => ({
    'mcp.json': mcp.edited,
    'models.json': piModels.edited,
    'settings.json': piSettings.edited,
  });
  const base: Base = {
    config,
    root,
    disk,
    nearDisk,
    etagOf,
    changes,
    agentLock,
    // This avoids Node's thread pool, which a slow disk would fill.
    requireAgent: async (id) =>
      nearDisk.read(() => requireAgentSync(root, id)) ??
      (JSON.parse((await disk.ask({ requireAgent: id })).json.toString()) as string),
    publish: events.publish,
    clock,
    logger,
    linkSystem,
    findPi: createPiFinder(readUserPath),
    readSearchPath: async () => ownSearchPath(await readUserPath()),
  };
  /** Set late, because the routes must exist before the server listens, and the port is known only afterwards. */
  let listening: Listening | undefined;

  const [operatorToken, pricing] = await orExplain(
    Promise.all([createOperatorToken(base), createPricing({ ...base, priceListUrls, refreshPauseMs })]),
  );
  add(operatorToken);
  add(pricing);
  const { seedVault, onWalletEvent, needsWallet: isNeeded = false } = options;
  const restart = options.settings?.restart;
  const wallet = add(
    await createWallet({ ...base, ...testing, seedVault, onWalletEvent, isNeeded, restart }),
  );
  const keys = add(await createKeys({ ...base, spentToday: wallet.spentTodayByKey }));

  const files = add(createFiles(base));
  const mcp = add(createMcp({ ...base, files }));
  const piModels = add(
    createPiModels({
      ...base,
      files,
      isDotMi: async (host, port) => (await findRunningDotMi(host, port)) !== undefined,
      providerTimes: testing.providerTimes,
    }),
  );
  const { typedPrices } = piModels;
  const packages = add(createPackages({ ...base, files }));
  const piSettings = add(createPiSettings({ files, requirePackages: packages.require }));
  const jsonFiles = add(
    createJsonFiles({
      files,
      problemsOf: {
        'mcp.json': mcp.problemsOf,
        'models.json': piModels.problemsOf,
        'settings.json': piSettings.problemsOf,
      },
    }),
  );
  add(createEntries(base));
  add(createDrafts(base));
  add(createProfiles(base));
  add(createCatalog(base));
  add(createSearch(base));
  add(
    createChecks({
      disk,
      writeFiles: (id, written) => files.writeAll('Fix problems', id, written),
    }),
  );
  const prompt = add(createPrompt(base));
  const preferences = add(createPreferences(base));
  /** The private copies of agents for sale, and the sessions of their runs. */
  const soldDirectory = `${config.dataDirectory}/data/services/${root.id}`;
  const sessionFiles = add(createSessionsService({ ...base, soldDirectory }, { ...pricing, ...preferences }));
  const { usage, usageWithCovered, subscriptions } = sessionFiles;
  add(createCost({ ...pricing, prompt: prompt.read, typedPrices, subscriptions }));

  const links = add(createLinks(base));
  const presetsFolder = createPresetsFolder(root, agentLock, changes);
  const status = add(createStatus({ ...base, listener: options.statusListener }));
  /** Ends what an agent can do, so that a deleted one can't do anything anymore. */
  const revokeKeysOf = async (id: string): Promise<void> => {
    status.forget(id);
    // The service ends first, because it needs its key to refund its customers.
    await selling.forget(id);
    await keys.revokeKeysOf(id);
  };
  /** Removes what belongs to an agent, so that a later agent with this id inherits nothing. */
  const forgetAgent = async (id: string): Promise<void> => {
    await revokeKeysOf(id);
    await selling.forgetSessions(id);
    await budgets.forget(id);
  };
  const trash = add(
    createTrash({
      ...base,
      forgetAgent,
      async putAway(id, entry): Promise<void> {
        await budgets.putAway(id, entry);
        await selling.putAway(id, entry);
      },
      async bringBack(entry, id): Promise<void> {
        await budgets.bringBack(entry, id);
        await selling.bringBack(entry, id);
      },
      discard: (entry): Promise<void> => selling.discard(entry),
      placePreset: presetsFolder.place,
    }),
  );
  add(
    createPresets({
      disk,
      etagOf,
      folder: presetsFolder,
      changes,
      planLinks: links.plan,
      planServers: mcp.add,
      serverOf: mcp.entry,
      trash,
    }),
  );

  add(createUsage(sessionFiles));
  const budgets = add(createBudgets({ ...base, usageWithCovered, onReached: options.onBudgetReached }));

  const { trust } = add(createRootFeature({ ...base, identities }));
  const isRootTrusted = async () => (await trust.read()).trusted;
  const roots = add(createRoots(base));
  const agents = add(
    createAgents({
      ...base,
      files,
      trash,
      trust,
      isRootTrusted,
      setupTimeoutMs: testing.setupTimeoutMs,
      budgetState: budgets.stateOf,
      apiUrl: () => listening?.url,
      hasKey: keys.hasKey,
      revokeKeysOf,
      forgetAgent,
    }),
  );
  add(
    createReadiness({
      ...base,
      prompt: prompt.read,
      isRootTrusted,
    }),
  );
  const { resumeCommand } = agents;
  add(
    createSessions({
      sessions: sessionFiles,
      resumeCommand,
      moveToTrash: trash.moveSession,
      removeSold: ({ agent, path }): Promise<void> => selling.removeSession(agent, path),
    }),
  );

  const selling = add(
    createSelling({
      ...base,
      isRootTrusted,
      prompt: prompt.read,
      promptAt: prompt.readAt,
      runCommand: agents.runCommand,
      quote: pricing.quote,
      typedPrices,
      wallet,
      usage,
      createKey: keys.create,
      keyExists: keys.exists,
      apiUrl: () => listening?.url ?? '',
      isPortFree,
      startProgram: options.startProgram,
      onSale: options.onSale,
      onShop: options.onShop,
      follow: events.follow,
      soldDirectory,
      readSessions: async () => !(await usage('agent', { fromMs: undefined, toMs: undefined })).reading,
      budgetProblem: async (id) =>
        (await agents.runCommand(id)).warnings.find(({ code }) => code === 'budget_used')?.message,
    }),
  );

  const settings = add(createSettings({ ...base, host: options.settings, rememberRoot: roots.remember }));
  const requests = add(createRequests(base));
  const ownsOrigin = (origin: string) =>
    isPublicOrigin(config.allowedHosts, origin) || listening?.ownsOrigin(origin) === true;
  const pageKeys = add(createPageKeys({ ...base, ownsOrigin }));
  const signIn = add(
    createSignIn({ ...base, pageKeys, operatorToken, pageTokens, agentKeyHashes: keys.hashes, ownsOrigin }),
  );
  const asksForToken = config.apiToken !== undefined || config.requireKeys;
  const facts = { version, devMode: config.devMode, asksForToken };
  add(
    createHealth({
      root,
      clock,
      facts,
      prove: signIn.prove,
      isFirstRun: settings.isFirstRun,
      isRootTrusted: trust.isReady,
    }),
  );
  add(createOpenApi({ endpoints, facts }));

  const reportShortage = createShortageReport(logger);
  const stopping = new AbortController();
  const admission = createAdmission();
  const hasPage = existsSync(`${PAGE_DIRECTORY}/index.html`);
  const access = createAccess(
    {
      api: config.apiToken,
      operator: operatorToken.current,
      pages: pageTokens,
      requireKeys: config.requireKeys,
      agentKeys: keys,
      rootId: root.id,
    },
    createGuessLimit(clock),
  );
  const app = createApp({
    guard: createLoopbackGuard({ allowedHosts: config.allowedHosts, listenHost: config.host, runHost }),
    checkAccess: access.check,
    admitToken: access.admit,
    rootId: root.id,
    routes: parts.flatMap(({ routes }) => routes ?? []),
    stopping: stopping.signal,
    admission,
    page: hasPage ? createPage(PAGE_DIRECTORY, admission, preferences.theme) : undefined,
    logger,
    reportShortage,
  });
  const connections = limitConnections(app, requests.record);
  const makeServer = () =>
    createHttpServer(connections, (error) =>
      isOutOfFileHandles(error)
        ? reportShortage(error)
        : logger.error({ err: error }, 'a connection could not be accepted'),
    );
  const server = await listen(makeServer, config.host, config.port, runHost).catch(async (error: unknown) => {
    // The host may retry with another port in this process.
    await closeParts();
    throw error;
  });
  listening = server;
  for (const part of parts) part.start?.();
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
    terminalCommand: agents.terminalCommand,
    rootTrust: trust,
    showTerminal: status.showTerminal,
    recentRoots: roots.recent,
    version,
    walletProblem: wallet.problem,
    hasPage,
    wake: pricing.wake,
    async close() {
      await Promise.all(parts.map((part) => part.closeFirst?.()));
      stopping.abort();
      const endScripts = setTimeout(agents.stopScripts, SCRIPT_GRACE_MS);
      await server.close();
      clearTimeout(endScripts);
      await closeParts();
    },
  };
};
