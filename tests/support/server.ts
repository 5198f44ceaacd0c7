import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import {
  type RunningServer,
  type StartOptions,
  startServer,
  type TestingOptions,
} from '../../src/server/start.ts';
import { TEST_INSTALLATION_KEY } from './etag.ts';
import { keepLog } from './kept-log.ts';
import { NO_OUTSIDE } from './no-outside.ts';
import { PATH_WITHOUT_PI } from './pi-program.ts';
import { makeTempDirectory } from './temp.ts';

/** An answer of the API, read whole. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect any answer
  body: any;
}

/** A server in this process on a free port, with a client for it. */
export interface TestServer extends RunningServer {
  /** Holds its `data`. */
  dataDirectory: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The same, with the operator token. */
  asOperator: TestServer['call'];
}

const readAnswer = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: response.headers,
  body: await response.json(),
});

/** {@link StartOptions}, with the test options at the same level. */
export interface ServeOptions extends Omit<StartOptions, 'testing'>, TestingOptions {
  environment?: Record<string, string>;
  /** Another server's, to start with its data. Default: an empty one. */
  dataDirectory?: string;
}

/** Gives a new data directory the installation key of tests, so that they can calculate etags. */
export const plantInstallationKey = async (dataDirectory: string): Promise<void> => {
  await mkdir(join(dataDirectory, 'data'), { mode: 0o700, recursive: true });
  await writeFile(join(dataDirectory, 'data/installation-key'), `${TEST_INSTALLATION_KEY}\n`, {
    mode: 0o600,
  });
};

/** Starts the real server with a root. The caller closes it. */
export const startServing = async (
  root: string,
  {
    environment = {},
    pageToken,
    settings,
    logLines,
    seedVault,
    readSearchPath,
    onWalletEvent,
    onBudgetReached,
    statusListener,
    startProgram,
    dataDirectory,
    ...testing
  }: ServeOptions & Required<Pick<ServeOptions, 'logLines' | 'dataDirectory'>>,
): Promise<TestServer> => {
  const config = readConfig(dataDirectory, {
    PATH: PATH_WITHOUT_PI,
    HOME: dataDirectory,
    PORT: '0',
    LOG_LEVEL: 'info',
    DOT_MI_ROOT: root,
    ...NO_OUTSIDE,
    ...environment,
  });
  const server = await startServer(config, {
    ...(pageToken === undefined ? {} : { pageToken }),
    ...(settings ? { settings } : {}),
    logLines,
    ...(seedVault ? { seedVault } : {}),
    readSearchPath,
    ...(onWalletEvent ? { onWalletEvent } : {}),
    ...(onBudgetReached ? { onBudgetReached } : {}),
    ...(statusListener ? { statusListener } : {}),
    startProgram,
    testing,
  });
  const call: TestServer['call'] = async (method, path, body, headers = {}) => {
    for (;;) {
      const answer = await readAnswer(
        await fetch(`${server.url}${path}`, {
          method,
          headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
          ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      );
      // Under load, answers about sessions come before all of them were read, and say so.
      if (method !== 'GET' || answer.body?.reading !== true) return answer;
    }
  };
  return {
    ...server,
    dataDirectory,
    call,
    asOperator: (method, path, body, headers) =>
      call(method, path, body, { Authorization: `Bearer ${server.operatorToken}`, ...headers }),
  };
};

/** Starts the real server with a root. It ends with the test. */
export const serve = async (
  root: string,
  { logLines = keepLog('server'), dataDirectory: given, ...options }: ServeOptions = {},
): Promise<TestServer> => {
  const dataDirectory = given ?? (await makeTempDirectory());
  if (given === undefined) await plantInstallationKey(dataDirectory);
  const server = await startServing(root, { ...options, logLines, dataDirectory });
  onTestFinished(() => server.close());
  return server;
};
