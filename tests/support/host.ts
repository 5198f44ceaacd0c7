import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type HostedServer, runServer } from '../../src/server/host.ts';
import { systemClock } from '../../src/server/platform/clock.ts';
import { createSettingsFile } from '../../src/server/settings/settings-file.ts';
import { keepLog } from './kept-log.ts';
import { NO_OUTSIDE } from './no-outside.ts';
import { until } from './raw-http.ts';
import type { Answer } from './server.ts';
import { makeTempDirectory } from './temp.ts';

/** A server in this process that restarts when its settings change, as the headless entry runs it. */
export interface TestHost {
  hosted: HostedServer;
  dataDirectory: string;
  settingsPath: string;
  /** How often it was started. */
  starts(): number;
  lost: unknown[];
  /** What it has logged. */
  log(): string;
  /** Calls the server as the operator, on its current port. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Waits until it was started `count` times. */
  untilStarted(count: number): Promise<void>;
}

/** Starts a server that ends with the test. */
export const host = async (
  environment: Record<string, string | undefined>,
  dataDirectory?: string,
): Promise<TestHost> => {
  const directory = dataDirectory ?? (await makeTempDirectory());
  const settingsPath = join(directory, 'data/settings.json');
  const lost: unknown[] = [];
  const log = keepLog('server');
  let starts = 0;
  const hosted = await runServer({
    dataDirectory: directory,
    environment: {
      PATH: process.env.PATH,
      HOME: directory,
      PORT: '0',
      LOG_LEVEL: 'info',
      ...NO_OUTSIDE,
      ...environment,
    },
    startOptions: { logLines: log },
    store: createSettingsFile(settingsPath, systemClock),
    onStart: () => {
      starts++;
    },
    onLost: (error) => lost.push(error),
  });
  onTestFinished(() => hosted.close());
  return {
    hosted,
    dataDirectory: directory,
    settingsPath,
    starts: () => starts,
    lost,
    log: log.text,
    async call(method, path, body) {
      const { url, operatorToken } = hosted.server();
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${operatorToken}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    untilStarted: (count) => until(() => starts >= count),
  };
};
