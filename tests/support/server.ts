import { onTestFinished } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import {
  type RunningServer,
  type StartOptions,
  startServer,
  type TestingOptions,
} from '../../src/server/start.ts';
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

/** Starts the real server with a root. It ends with the test. */
export const serve = async (
  root: string,
  {
    environment = {},
    pageToken,
    settings,
    logLines = keepLog('server'),
    seedVault,
    readSearchPath,
    onWalletEvent,
    onBudgetReached,
    statusListener,
    startProgram,
    dataDirectory: givenDirectory,
    ...testing
  }: ServeOptions = {},
): Promise<TestServer> => {
  const dataDirectory = givenDirectory ?? (await makeTempDirectory());
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
  onTestFinished(() => server.close());
  const call: TestServer['call'] = async (method, path, body, headers = {}) =>
    readAnswer(
      await fetch(`${server.url}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
  return {
    ...server,
    dataDirectory,
    call,
    asOperator: (method, path, body, headers) =>
      call(method, path, body, { Authorization: `Bearer ${server.operatorToken}`, ...headers }),
  };
};
