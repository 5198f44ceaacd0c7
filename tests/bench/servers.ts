import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LAUNCH_OPTIONS_VARIABLE } from '../support/electron/launch-options.ts';
import type { LoopUse, ProbeQuestion } from './loop-probe.ts';
import { type Child, type Run, start } from './processes.ts';
import type { Workspace } from './workspace.ts';

/** A server under load, whose event loop can be looked into. */
export interface Server {
  url: string;
  pid: number;
  /** What its event loop did while `work` ran. */
  during<T>(work: () => Promise<T>): Promise<{ result: T; loop: LoopUse }>;
  end(): Promise<void>;
}

/** Where our server keeps its wallet, and its mint; without a mint it is the simulated wallet. */
export interface WalletPlace {
  directory: string;
  mintUrl?: string;
}

/** Starts every kind of server that is measured. */
export interface ServerKinds {
  /** Each server needs a wallet directory of its own; by default it is beside the root. */
  ours(rootPath: string, wallet?: WalletPlace): Run;
  /** The desktop's shell with the same server in it, on the double of Electron, without a window. */
  desktop(rootPath: string): Run;
  express(answersFile: string, style: 'json' | 'end'): Run;
  http(answersFile: string): Run;
}

/** Prepares the servers of a workspace; what they need is built or copied once. */
export const createServerKinds = (workspace: Workspace, dataDirectory = 'data'): ServerKinds => {
  const built = workspace.builtServer();
  const bareExpress = workspace.plainModule('bare-express');
  const bareHttp = workspace.plainModule('bare-http');
  const cwd = workspace.path(dataDirectory);
  mkdirSync(cwd);
  const ours: ServerKinds['ours'] = (
    rootPath,
    { directory, mintUrl } = { directory: `${rootPath}-wallet` },
  ) => ({
    module: built,
    cwd,
    environment: {
      DOT_MI_ROOT: rootPath,
      WALLET_DB_PATH: directory,
      MODEL_PRICING_PATH: `${directory}-pricing.json`,
      ...(mintUrl === undefined ? {} : { DEV_MODE: 'false', MINT_URL: mintUrl }),
      PORT: '0',
      LOG_LEVEL: 'silent',
      // Nobody: a benchmark asks no public service.
      BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:9',
    },
  });
  return {
    ours,
    desktop(rootPath) {
      const { module, double } = workspace.builtDesktop();
      const userData = workspace.path('desktop');
      mkdirSync(userData, { recursive: true });
      const launchOptions = JSON.stringify({ userData, appData: userData, isPackaged: true });
      const run = ours(rootPath);
      return {
        ...run,
        module,
        probe: double,
        environment: { ...run.environment, [LAUNCH_OPTIONS_VARIABLE]: launchOptions },
      };
    },
    express: (answersFile, style) => ({
      module: bareExpress,
      args: [answersFile, style],
      cwd,
      environment: { PORT: '0' },
    }),
    http: (answersFile) => ({ module: bareHttp, args: [answersFile], cwd, environment: { PORT: '0' } }),
  };
};

const PRINTED_URL = /(http:\/\/127\.0\.0\.1:\d+)[/\n]/;

const ask = (child: Child, question: ProbeQuestion) => child.ask(question);

/** Starts a server with the probe in it and waits until it listens. */
export const startServer = async (run: Run, probe: string): Promise<Server> => {
  const child = start({ ...run, probe });
  const url = await child.printed(PRINTED_URL);
  return {
    url,
    pid: child.pid,
    async during(work) {
      await ask(child, 'begin');
      const result = await work();
      const loop = (await ask(child, 'end')) as LoopUse;
      return { result, loop };
    },
    end: () => child.end(),
  };
};

/** Our housekeeping begins this long after a start; see src/server/housekeeping.ts. */
const HOUSEKEEPING_BEGUN_MS = 2_500;
const LOOK_MS = 300;
const IDLE_SHARE = 0.03;

/** Waits until a server that was just started has nothing more to do of its own. */
export const settle = async (server: Server): Promise<void> => {
  await sleep(HOUSEKEEPING_BEGUN_MS);
  for (;;) {
    const { loop } = await server.during(() => sleep(LOOK_MS));
    if (loop.activeMs / loop.elapsedMs < IDLE_SHARE) return;
  }
};
