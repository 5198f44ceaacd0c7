import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AgentForSale,
  type AgentRequest,
  createAgentRuns,
} from '../../src/server/selling/process/run-agent-once.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import { plant } from './plant.ts';
import { makeTempDirectory } from './temp.ts';

const RPC_AGENT = fileURLToPath(new URL('./rpc-agent.ts', import.meta.url));

/** What the shell sets for `rpc-agent.ts`, which would be compiled at each start otherwise. */
export const AGENT_VARIABLES = `NODE_COMPILE_CACHE='${COMPILE_CACHE.NODE_COMPILE_CACHE}'`;

/** Whether a process runs. One that has ended stays in the list until its parent asks, which an old one's may not. */
export const isRunning = (id: number): boolean => {
  try {
    process.kill(id, 0);
    return (
      !existsSync('/proc/self/stat') || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${id}/stat`, 'latin1'))
    );
  } catch {
    return false;
  }
};

/** An agent to sell whose program is `tests/support/rpc-agent.ts`, unless `command` is another one. */
export const makeSoldAgent = async (command: readonly string[] = [process.execPath, RPC_AGENT]) => {
  const world = await makeTempDirectory();
  const quoted = command.map((part) => `'${part}'`).join(' ');
  await plant(world, {
    'bin/pi': { script: `#!/bin/sh\n${AGENT_VARIABLES} exec ${quoted} "$@"\n` },
    home: null,
    agent: null,
    live: null,
    temporary: null,
    ids: '',
  });
  const environment = {
    PATH: [join(world, 'bin'), process.env.PATH].join(delimiter),
    HOME: join(world, 'home'),
    PI_TEST_IDS: join(world, 'ids'),
    PI_OFFLINE: '1',
    PI_TELEMETRY: '0',
  };
  const noLimit = { maxOutputTokens: 1_000_000, maxCalls: 1_000, isTooMuch: () => false };
  /** Runs the agent, which behaves in one way of `rpc-agent.ts`. */
  const run = (
    behavior: string | null,
    {
      prompt = 'Hello.',
      budget,
      onText,
      signal,
      workspaceDirectories = [],
      ...sale
    }: Partial<
      Omit<AgentForSale, 'files'> &
        Omit<AgentRequest, 'budget'> & {
          budget: Partial<AgentRequest['budget']>;
          workspaceDirectories: readonly string[];
        }
    > = {},
  ) =>
    createAgentRuns({
      files: {
        agent: 'translator',
        directory: join(world, 'agent'),
        liveDirectory: join(world, 'live'),
        sessionsDirectory: join(world, 'sessions'),
        workspaceDirectories,
      },
      args: behavior === null ? [] : ['--behave', behavior],
      promptTokens: 0,
      limits: { timeoutMs: 120_000, mostOutputBytes: 64 * 2 ** 20 },
      environment,
      temporaryDirectory: join(world, 'temporary'),
      pi: [join(world, 'bin/pi')],
      variables: ['PI_TEST_IDS'],
      ...sale,
    })({ prompt, budget: { ...noLimit, ...budget }, onText, signal });
  /** The ids of the processes that the agent noted. */
  const ids = () =>
    readFileSync(join(world, 'ids'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map(Number);
  /** How many calls to its model the agent noted. */
  const calls = () => readFileSync(join(world, 'ids.calls'), 'utf8').split('\n').length - 1;
  return { world, environment, run, ids, calls };
};
