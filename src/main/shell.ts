import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { app, type BrowserWindow, nativeTheme, powerMonitor, session } from 'electron';
import { ownEnvironment, readConfig } from '../server/config.ts';
import { type HostedServer, type RunningServer, runServer, TRUST_ROOT_ARGUMENT } from '../server/host.ts';
import { systemClock } from '../server/platform/clock.ts';
import { createLogger } from '../server/platform/logger.ts';
import type { WaitingAgent } from '../server/status/status.service.ts';
import { BRIDGE_EVENTS, type DesktopLimits, type DesktopPreferences } from '../shared/desktop-bridge.ts';
import { answerBridge, hasFileManager, openFolder } from './bridge.ts';
import { claimScheme, createKeptLinks, createWaitingLinks, isIntegrated, switchesOf } from './deep-link.ts';
import { ask, askAlone, chooseFolder } from './dialogs.ts';
import { endOnUncaught, endWithMessage } from './failure.ts';
import { followLifecycle } from './lifecycle.ts';
import { openLogFile } from './log-file.ts';
import { createLoginItem, isLoginStart } from './login-item.ts';
import { createPathReader } from './login-path.ts';
import { installMenu } from './menu.ts';
import { createNotifications } from './notifications.ts';
import { createPageWindow, pageAddress } from './page-window.ts';
import { startOnAPort } from './port-taken.ts';
import { createPreferenceStore } from './preferences.ts';
import { appImageFile, portableFile, programFile, startAgain } from './program-file.ts';
import { createAgentRunner } from './run-agent.ts';
import { denyPermissions, guardAllContents } from './security.ts';
import { openSeedVault } from './seed-vault.ts';
import { startUtilityProgram } from './service-program.ts';
import { openSettings } from './settings.ts';
import { areNotificationsSupported, createSystemNotifications } from './system-notifications.ts';
import { openTerminal, terminalEnvironment } from './terminal.ts';
import { createTrayIcon, hasTray, type TrayIcon } from './tray.ts';
import { createUpdates } from './updates.ts';

/** How long a start at login waits for the desktop's tray before it opens the window instead. */
const LOGIN_TRAY_WAIT_MS = 20_000;

/** Builds and connects the shell's parts, starts the server and opens the window. */
export const startShell = async (): Promise<void> => {
  const dataDirectory = app.getPath('userData');
  const logFile = openLogFile(join(dataDirectory, 'logs'));
  const logger = createLogger('info', logFile);
  const logFailure = (message: string) => (error: unknown) => logger.error({ err: error }, message);

  let hosted: HostedServer | undefined;
  const close = async () => hosted?.close();
  endOnUncaught({ logger, logDirectory: logFile.directory, close });
  const config = readConfig(dataDirectory);
  const settings = openSettings(logger);
  const pageWindow = createPageWindow({
    settings,
    logger,
    hidesOnClose: () => !lifecycle.isQuitting() && tray.isThere(),
    isQuitting: () => lifecycle.isQuitting(),
    onStay: () => lifecycle.stay(),
    onOpen: (window) => lifecycle.followSession(window),
  });
  const keptLinks = createKeptLinks(dataDirectory);
  const links = createWaitingLinks(() => pageWindow.send(BRIDGE_EVENTS.link));
  const lifecycle = followLifecycle({
    show: () => pageWindow.show(),
    hasOpened: () => pageWindow.hasOpened(),
    addLink: links.add,
    close,
    keepLinks: () => keptLinks.keep(links.takeAll),
    startAgain() {
      // Don't restart if an installer runs at exit, because the installer would find dot-mi still running.
      if (!updates.installsAtEnd()) startAgain(config);
    },
    logger,
  });
  app.enableSandbox();
  guardAllContents(app, { origin: pageWindow.origin, logger });
  const tray = createTrayIcon({
    show: pageWindow.show,
    showAgent: (agent) => pageWindow.showView(`agent:${agent}`),
    showTerminal(agent) {
      hosted
        ?.server()
        .showTerminal(agent)
        .catch((error: unknown) => {
          logFailure('could not show a terminal')(error);
          pageWindow.showView(`agent:${agent}`);
        });
    },
    url: pageWindow.origin,
    hasTray: () => hasTray(config.scriptEnvironment.PATH ?? ''),
    onRefused: logFailure('the system refused the tray icon'),
  });
  const program = programFile(config);
  const isPortable = portableFile(config) !== undefined;
  const updates = createUpdates({
    logger,
    isPortable,
    onChange(state) {
      pageWindow.send(BRIDGE_EVENTS.update);
      if (state.kind === 'ready') notifications.updateReady(state.version);
    },
  });
  const preferences = createPreferenceStore(settings, createLoginItem(program), applyPreferences);
  const notifications = createNotifications({
    show: createSystemNotifications(logger, isPortable),
    wants: preferences.wantsNotification,
    isLookingAt: pageWindow.isLookedAt,
    open: (view) => (view ? pageWindow.showView(view) : pageWindow.show()),
    clock: systemClock,
  });
  function applyPreferences({ closeToTray, checkForUpdates }: DesktopPreferences) {
    tray.want(closeToTray);
    updates.agree(checkForUpdates);
  }

  const nameWaiting = (agents: readonly WaitingAgent[]) => {
    tray.nameWaiting(agents);
    void app.whenReady().then(() => pageWindow.countWaiting(agents.length));
  };

  const readSearchPath = app.isPackaged ? createPathReader() : undefined;
  const start = (firstPort: number | undefined) =>
    runServer({
      dataDirectory,
      store: settings.server,
      onStart(server, { devPageUrl }) {
        pageWindow.follow(pageAddress(server.url, devPageUrl));
        listRecentRoots(server).catch(logFailure('could not list recent roots'));
      },
      onLost: (error) => void endWithMessage(error),
      firstPort,
      startOptions: {
        logLines: logFile,
        seedVault: () => openSeedVault(logger),
        readSearchPath,
        onWalletEvent: notifications.hear,
        onBudgetReached: notifications.budgetReached,
        onSale: notifications.saleEnded,
        onShop: notifications.shopTurned,
        statusListener: { onChange: notifications.runChanged, onWaiting: nameWaiting },
        startProgram: startUtilityProgram,
      },
    });

  let recentRoots: readonly string[] = [];
  const showMenu = () =>
    installMenu({
      command(asked) {
        pageWindow.show();
        pageWindow.send(BRIDGE_EVENTS.command, asked);
      },
      openRoot(path) {
        pageWindow.show();
        pageWindow.send(BRIDGE_EVENTS.openRoot, path);
      },
      recentRoots,
      openLogs: () => open(logFile.directory),
      openDataFolder: () => open(dataDirectory),
      checkForUpdates() {
        // The page reports the result.
        pageWindow.show();
        void updates.checkNow();
      },
    });
  const listRecentRoots = async (server: RunningServer) => {
    recentRoots = await server.recentRoots();
    await app.whenReady();
    showMenu();
  };

  const openWindow = async (): Promise<boolean> => {
    await app.whenReady();
    nativeTheme.themeSource = settings.read('theme') ?? 'system';
    denyPermissions(session.defaultSession, pageWindow.origin);
    showMenu();
    const isHidden = isLoginStart();
    if (!isHidden) pageWindow.show();
    pageWindow.allowOpening();
    return isHidden;
  };
  const open = (path: string) => {
    const report = async (error: unknown) => {
      logFailure('could not open a folder')(error);
      await askAlone({
        type: 'warning',
        message: 'dot-mi couldn’t open the folder.',
        detail: error instanceof Error ? error.message : String(error),
        buttons: ['OK'],
        cancelId: 0,
      });
    };
    void openFolder(path).catch(report);
  };

  for (const link of await keptLinks.take()) links.add(link);
  // Chromium starts in parallel with our server, and the window opens before the server has opened the wallet.
  const [started, isHidden] = await Promise.all([
    startOnAPort({
      start,
      store: settings.server,
      canKeep: config.origins.port.origin !== 'environment',
      systemRoot: config.systemRoot,
    }),
    openWindow(),
  ]);
  if (!started) return app.quit();
  hosted = started;
  if (switchesOf(process.argv).includes(TRUST_ROOT_ARGUMENT))
    await started.server().rootTrust.trustNow().catch(logFailure('could not trust the root'));

  answerBridge({
    origin: pageWindow.origin,
    pageToken: () => started.server().pageToken,
    rootPath: () => started.server().rootPath,
    dataDirectory: () => started.config().dataDirectory,
    logDirectory: logFile.directory,
    preferences,
    readLimits: () => readLimits(tray, appImageFile(config), isPortable),
    setTheme(theme) {
      nativeTheme.themeSource = theme;
      if (theme !== (settings.read('theme') ?? 'system')) settings.write('theme', theme);
    },
    restart: lifecycle.restart,
    explainLosses: pageWindow.explainLosses,
    takeLink: links.take,
    hasFileManager: () => hasFileManager(config.scriptEnvironment.PATH ?? ''),
    updates,
    runAgent: createAgentRunner({
      server: started.server,
      chooseFolder: (window, defaultPath, agent) => {
        const title = `Choose the folder where ${agent} works`;
        return chooseFolder(window, defaultPath, { title, message: title, buttonLabel: 'Run here' });
      },
      openTerminal: (run) =>
        openTerminal(run, {
          platform: process.platform,
          environment: terminalEnvironment(ownEnvironment(), config.appImageMount),
          temporaryDirectory: tmpdir(),
          homeDirectory: homedir(),
          systemRoot: config.systemRoot,
        }),
      homeDirectory: homedir(),
    }),
  });
  applyPreferences(preferences.read());
  powerMonitor.on('resume', () => started.server().wake());
  pageWindow.allowLoading();
  // Claiming the scheme blocks this process for half a second on Linux.
  void pageWindow.firstLoaded.then(() => claimScheme(program));
  const { damagedFile } = settings;
  if (damagedFile !== null)
    void pageWindow.firstShown
      .then((window) => sayDamaged(window, damagedFile))
      .catch(logFailure('could not report the damaged settings'));
  if (!(await tray.appears(isHidden ? LOGIN_TRAY_WAIT_MS : 0)) && isHidden) pageWindow.show();
};

const readLimits = async (
  tray: TrayIcon,
  appImage: string | undefined,
  isPortable: boolean,
): Promise<DesktopLimits> => {
  const [isTrayThere, opensLinks] = await Promise.all([
    tray.look(),
    appImage === undefined || isIntegrated(appImage),
  ]);
  return {
    hasNoTray: !isTrayThere,
    hasNoLinks: !opensLinks,
    hasNoNotifications: !areNotificationsSupported(isPortable),
  };
};

const sayDamaged = (window: BrowserWindow, file: string) =>
  ask(window, {
    type: 'warning',
    message: 'dot-mi couldn’t read its settings, so it uses the defaults.',
    detail: `Your old settings are kept in ${file}`,
    buttons: ['OK'],
    cancelId: 0,
  });
