import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/server/platform/clock.ts';
import { forkProgram, type StartedProgram } from '../../src/server/selling/service-process.ts';
import { playBtcSources } from './btc-sources/play.ts';
import { openCashuCustomer } from './customers/cashu-customer.ts';
import { openRoutstrCustomer } from './customers/routstr-customer.ts';
import { freePort } from './free-port.ts';
import { testMint } from './mint/for-test.ts';
import type { TestMint } from './mint/test-mint.ts';
import { plant, type Tree } from './plant.ts';
import type { Answer } from './server.ts';
import { AGENT_VARIABLES, isRunning } from './sold-agent.ts';
import { makeTempDirectory } from './temp.ts';
import { trustRoot } from './trust.ts';
import { serveWallet, type WalletServer } from './wallet.ts';

const RPC_AGENT = fileURLToPath(new URL('./rpc-agent.ts', import.meta.url));

/** The agent that the tests sell. */
export const SOLD = 'translator';

/** What to sell, and how. */
interface SoldServiceOptions {
  mint?: TestMint;
  /** A way of `rpc-agent.ts`. */
  behavior?: string;
  /** Further files of the root. */
  files?: Tree;
  /** An earlier server, whose root, wallet and data this one has. */
  after?: WalletServer;
  environment?: Record<string, string>;
  clock?: Clock;
  /** Called with each process of a service before dot-mi reads from it. */
  onProgram?: (program: StartedProgram) => void;
}

/** The pi-args of an agent without tools whose program behaves in a way of `rpc-agent.ts`. */
export const soldArgs = (behavior: string): string => `--no-tools\n--behave\n${behavior}\n`;

/** A root with an agent for sale, whose `pi` is `rpc-agent.ts`, in a trusted root with prices and a wallet at a real mint. */
export const serveShop = async ({
  mint: givenMint,
  behavior = 'echo',
  files = {},
  after,
  environment = {},
  clock,
  onProgram,
}: SoldServiceOptions = {}) => {
  const mint = givenMint ?? (await testMint());
  const world = await makeTempDirectory();
  const ids = join(world, 'ids');
  await plant(world, {
    'bin/pi': {
      script: `#!/bin/sh\n${AGENT_VARIABLES} PI_TEST_IDS='${ids}' exec '${process.execPath}' '${RPC_AGENT}' "$@"\n`,
    },
    ids: '',
  });
  const sources = await playBtcSources(50_000);
  const programs: StartedProgram[] = [];
  const shopEnvironment = {
    PATH: [join(world, 'bin'), process.env.PATH].join(delimiter),
    BTC_PRICE_SOURCES: sources.setting(),
    ...environment,
  };
  const server = await serveWallet(mint.url, {
    ...(after
      ? { directory: after.directory, dataDirectory: after.dataDirectory, root: after.rootPath }
      : {}),
    environment: shopEnvironment,
    ...(clock ? { clock } : {}),
    startProgram: (...start) => {
      const program = forkProgram(...start);
      programs.push(program);
      onProgram?.(program);
      return program;
    },
  });
  await plant(server.rootPath, {
    [`agents/${SOLD}/pi-args`]: soldArgs(behavior),
    [`agents/${SOLD}/SYSTEM.md`]: 'You translate. Answer with the translation alone.\n',
    ...files,
  });
  await trustRoot(server);
  /** The ids of the processes that the agent noted. */
  const agentProcesses = () => readFileSync(ids, 'utf8').split('\n').filter(Boolean).map(Number);
  // Agents of a service that was killed.
  onTestFinished(() => {
    for (const id of agentProcesses().filter(isRunning)) process.kill(id, 'SIGKILL');
  });
  const token = (sats: number) => mint.issue(sats, { withoutDleq: true });
  return {
    mint,
    server,
    environment: shopEnvironment,
    /** Ends the process of the service that was started last with SIGKILL. */
    killService: () => programs.at(-1)?.kill(true),
    /** How many processes of services were started. */
    started: () => programs.length,
    agentProcesses,
    customer: (sats = 64) => openCashuCustomer({ mintUrl: mint.url, tokens: [token(sats)] }),
    routstrCustomer: (sats = 64) => openRoutstrCustomer({ mintUrl: mint.url, tokens: [token(sats)] }),
  };
};

/** The port of each service, by the address of its server and the agent. */
const ports = new Map<string, number>();

/** Puts the agent up for sale, at a port that no test next to this one looks for. */
export const sell = async (
  server: WalletServer,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Answer> => {
  const name = `${server.url} ${settings.agent ?? SOLD}`;
  const port = ports.get(name) ?? (await freePort());
  ports.set(name, port);
  return server.asOperator('POST', '/api/services', { agent: SOLD, port, ...settings });
};

/** The last requests of customers. */
export const salesOf = async (server: WalletServer) =>
  (await server.asOperator('GET', `/api/services/${SOLD}/sales`)).body.sales;
