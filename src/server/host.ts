import type { StoredSettings } from '../shared/api/settings.ts';
import { type Config, ConfigError, type Environment, readConfig } from './config.ts';
import { PortInUseError, StartError } from './http/http-server.ts';
import { AppError } from './platform/app-error.ts';
import { createLogger } from './platform/logger.ts';
import type { Applied, SettingsHost } from './settings/settings-host.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import { makePageToken, type RunningServer, type StartOptions, startServer } from './start.ts';

export type { Config, RunningServer };
export { ConfigError, PortInUseError, StartError };

/** On the command line: says yes to the root's setup script as it is at the start. */
export const TRUST_ROOT_ARGUMENT = '--trust-root';

/** On the command line: replaces the operator token at the start. */
export const RENEW_TOKEN_ARGUMENT = '--renew-operator-token';

/** What a program that runs the server brings. */
export interface HostOptions {
  /** Relative paths of the settings count from here. */
  dataDirectory: string;
  environment?: Environment;
  store: SettingsStore;
  /** Called at each start, the first one too: the address may be another. */
  onStart?: (server: RunningServer, config: Config) => void;
  /** The server ended for a restart and came back with neither the new settings nor the old ones. */
  onLost: (error: unknown) => void;
  /** Listens here at first, whatever the settings say; they count again when the port in them changes. */
  firstPort?: number | undefined;
  startOptions?: Omit<StartOptions, 'settings'>;
}

/** A server that is started again when its settings change. */
export interface HostedServer {
  server(): RunningServer;
  config(): Config;
  /** Ends it for good, after a restart that may be under way. */
  close(): Promise<void>;
}

const portOf = (url: string): number => Number(new URL(url).port || 80);

const withPort = (url: string, port: number): string => {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.origin;
};

/** Whether two configurations make different servers; what set a value makes no difference. */
const isOtherServer = (a: Config, b: Config): boolean =>
  JSON.stringify({ ...a, origins: null }) !== JSON.stringify({ ...b, origins: null });

const sentenceOf = (error: unknown): string =>
  error instanceof ConfigError || error instanceof StartError
    ? error.message
    : 'dot-mi could not start with these settings. See its log for the reason.';

/**
 * Runs the server with the settings of the environment and, below them, those of a store, and starts it again in this
 * process when they change: the same way for every host (docs/adr/0009).
 *
 * Throws `ConfigError` and {@link StartError} as `readConfig` and `startServer` do.
 */
export const runServer = async (options: HostOptions): Promise<HostedServer> => {
  const { dataDirectory, environment, store, onStart, onLost, firstPort, startOptions } = options;
  const configOf = (settings: StoredSettings) => readConfig(dataDirectory, environment, settings);

  // What is wrong in the environment is said before a settings file could be blamed for it.
  const logger = createLogger(configOf({}).logLevel, startOptions?.logLines);
  const { settings, damagedFile } = await store.read((read) => void configOf(read));
  if (damagedFile !== null)
    logger.warn(
      { file: damagedFile },
      'the settings file could not be used and was set aside; using the defaults',
    );

  let stored = settings;
  let config = configOf(stored);
  let lastError: string | null = null;
  let server: RunningServer | undefined;
  let pageToken = makePageToken();
  let restart: Promise<void> | undefined;
  let isClosing = false;
  let changes: Promise<unknown> = Promise.resolve();

  /** A port that was free by chance, or chosen for this run, stays: a page that is open knows only that one. */
  const portFor = (wanted: Config, running: RunningServer | undefined): number => {
    if (!running) return firstPort ?? wanted.port;
    return wanted.port === 0 || wanted.port === config.port ? portOf(running.url) : wanted.port;
  };

  const start = async (wanted: Config): Promise<void> => {
    server = await startServer(
      { ...wanted, port: portFor(wanted, server) },
      { ...startOptions, settings: host, pageToken },
    );
    config = wanted;
    onStart?.(server, config);
  };

  const startAgain = async (wanted: Config, before: StoredSettings, nextToken: string): Promise<void> => {
    await server?.close();
    const tokenBefore = pageToken;
    pageToken = nextToken;
    try {
      await start(wanted);
    } catch (error) {
      logger.error(
        { err: error },
        'the server could not start with the new settings; restoring the old ones',
      );
      lastError = sentenceOf(error);
      pageToken = tokenBefore;
      stored = before;
      // First the server: a disk that is full must not keep it away.
      await start(config);
      await store.write(before);
    }
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
    // The request that asked for it is under way, and closing waits for its answer.
    // SECURITY: another program may listen at the new address by now. It must not learn a token that works here.
    const isMove = url !== server.url;
    const nextToken = isMove ? makePageToken() : pageToken;
    restart = startAgain(nextConfig, before, nextToken)
      .catch((error: unknown) => {
        if (!isClosing) onLost(error);
      })
      .finally(() => {
        restart = undefined;
      });
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
