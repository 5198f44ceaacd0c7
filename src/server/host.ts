import type { Environment } from '../pi/environment.ts';
import type { StoredSettings } from '../shared/api/settings.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { PortInUseError, StartError } from './http/http-server.ts';
import { AppError } from './platform/app-error.ts';
import { createLogger } from './platform/logger.ts';
import type { Applied, SettingsHost } from './settings/settings-host.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { makePageToken, makeRunHost, type RunningServer, type StartOptions, startServer } from './start.ts';

export { TRUST_ROOT_ARGUMENT } from './command-line.ts';
export type { Config, RunningServer };
export { ConfigError, PortInUseError, StartError };

interface HostOptions {
  /** The base of relative paths in settings. */
  dataDirectory: string;
  environment?: Environment;
  store: SettingsStore;
  /** Called after each start, including the first, because the address may differ. */
  onStart?: (server: RunningServer, config: Config) => void;
  /** Called when a restart failed with both the new and the old settings. */
  onLost: (error: unknown) => void;
  /** Overrides the port in the settings at startup. The settings apply again once their port changes. */
  firstPort?: number | undefined;
  startOptions?: Omit<StartOptions, 'settings'>;
}

/** A server that restarts when its settings change. */
export interface HostedServer {
  server(): RunningServer;
  config(): Config;
  /** Closes the server permanently, after any restart in progress. */
  close(): Promise<void>;
}

const portOf = (url: string): number => Number(new URL(url).port || 80);

const withPort = (url: string, port: number): string => {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.origin;
};

/** Returns whether two configurations need different servers. The origins of values don't matter. */
const isOtherServer = (a: Config, b: Config): boolean =>
  JSON.stringify({ ...a, origins: null }) !== JSON.stringify({ ...b, origins: null });

const sentenceOf = (error: unknown): string =>
  error instanceof ConfigError || error instanceof StartError
    ? error.message
    : 'dot-mi could not start with these settings. See its log for the reason.';

/**
 * Runs the server with settings from the environment and a store. The environment wins. Restarts the server in this
 * process when settings change, in the same way for every host (docs/adr/0009).
 *
 * Throws `ConfigError` and {@link StartError}, as `readConfig` and `startServer` do.
 */
export const runServer = async (options: HostOptions): Promise<HostedServer> => {
  const { dataDirectory, environment, store, onStart, onLost, firstPort, startOptions } = options;
  const configOf = (settings: StoredSettings) => readConfig(dataDirectory, environment, settings);

  // Report environment errors first, so that nobody blames the settings file for them.
  const logger = createLogger(configOf({}).logLevel, startOptions?.logLines);
  const { settings, damagedFile, problem } = await store.read((read) => void configOf(read));
  if (damagedFile !== null)
    logger.warn(
      { file: damagedFile, problem },
      'the settings file could not be used, so it was set aside and the defaults apply',
    );

  let stored = settings;
  let config = configOf(stored);
  let lastError: string | null = null;
  let server: RunningServer | undefined;
  let pageToken = makePageToken();
  const runHost = makeRunHost();
  let restart: Promise<void> | undefined;
  let isClosing = false;
  let changes: Promise<unknown> = Promise.resolve();

  /** Keeps a port that the system picked or that was set only for this process, because open pages use it. */
  const portFor = (wanted: Config, running: RunningServer | undefined): number => {
    if (!running) return firstPort ?? wanted.port;
    return wanted.port === 0 || wanted.port === config.port ? portOf(running.url) : wanted.port;
  };

  const start = async (wanted: Config, needsWallet = false): Promise<void> => {
    server = await startServer(
      { ...wanted, port: portFor(wanted, server) },
      { ...startOptions, settings: host, pageToken, runHost, needsWallet },
    );
    config = wanted;
    onStart?.(server, config);
  };

  const startAgain = async (wanted: Config, before: StoredSettings, nextToken: string): Promise<void> => {
    await server?.close();
    const tokenBefore = pageToken;
    pageToken = nextToken;
    try {
      await start(wanted, server?.walletProblem === undefined);
    } catch (error) {
      logger.error(
        { err: error },
        'the server could not start with the new settings; restoring the old ones',
      );
      lastError = sentenceOf(error);
      pageToken = tokenBefore;
      stored = before;
      // Start the server first, so that a full disk can't prevent it.
      await start(config);
      await store.write(before);
    }
  };

  const beginRestart = (nextConfig: Config, before: StoredSettings, nextToken: string): void => {
    // The request that causes the restart is still open, and closing waits for its response.
    restart = startAgain(nextConfig, before, nextToken)
      .catch((error: unknown) => {
        if (!isClosing) onLost(error);
      })
      .finally(() => {
        restart = undefined;
      });
  };

  const apply = async (next: (stored: StoredSettings) => Promise<StoredSettings>): Promise<Applied> => {
    if (!server || restart || isClosing)
      throw new AppError('restarting', 'dot-mi is restarting with new settings. Try again in a moment.', {
        retryAfterSeconds: 1,
      });
    const before = stored;
    const wanted = await next(before);
    const nextConfig = configOf(wanted);
    await store.write(wanted);
    stored = wanted;
    lastError = null;
    if (!isOtherServer(config, nextConfig)) {
      config = nextConfig;
      return { restarting: false, url: server.url, config, pageToken: undefined };
    }
    const url = withPort(server.url, portFor(nextConfig, server));
    // SECURITY: another program may listen at the new address. It must not learn a token that works here.
    const isMove = url !== server.url;
    const nextToken = isMove ? makePageToken() : pageToken;
    beginRestart(nextConfig, before, nextToken);
    return {
      restarting: true,
      url,
      config: nextConfig,
      pageToken: isMove ? nextToken : undefined,
    };
  };

  const host: SettingsHost = {
    config: () => config,
    port: () => server && portOf(server.url),
    stored: () => stored,
    lastError: () => lastError,
    damagedFile: () => damagedFile,
    preview: configOf,
    change: (next) => {
      const change = changes.then(() => apply(next));
      changes = change.catch(() => undefined);
      return change;
    },
    restart: () => {
      if (server && !restart && !isClosing) beginRestart(config, stored, pageToken);
    },
  };

  await start(config);
  return {
    server: () => {
      if (!server) throw new Error('the server has not started');
      return server;
    },
    config: () => config,
    async close() {
      isClosing = true;
      await restart;
      await server?.close();
    },
  };
};
