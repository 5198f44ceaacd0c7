import {
  createAgent,
  deleteAgent,
  duplicateAgent,
  getAgent,
  getRunCommand,
  listAgents,
} from '../../shared/api/agents.ts';
import type { Base, Feature } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { type Caller, OPERATOR_READER, readerOf } from '../platform/caller.ts';
import { createFairQueue, queueNameOf } from '../platform/fair-queue.ts';
import { type AgentsDeps, type AgentsService, createAgentsService } from './agents.service.ts';
import { createSetupScript, type SetupScriptOptions } from './setup-script.ts';

interface AgentsFeatureDeps
  extends Pick<
      Base,
      'config' | 'root' | 'disk' | 'agentLock' | 'clock' | 'linkSystem' | 'findPi' | 'readSearchPath'
    >,
    Pick<
      AgentsDeps,
      | 'files'
      | 'trash'
      | 'changes'
      | 'isRootTrusted'
      | 'budgetState'
      | 'apiUrl'
      | 'hasKey'
      | 'revokeKeysOf'
      | 'forgetAgent'
    > {
  trust: Pick<SetupScriptOptions, 'requireTrusted'>;
  setupTimeoutMs?: number | undefined;
}

interface AgentsFeature
  extends Feature,
    Pick<AgentsService, 'terminalCommand' | 'resumeCommand' | 'access' | 'deletion'> {
  /** Returns the run command as the operator gets it. */
  runCommand(id: string): ReturnType<AgentsService['runCommand']>;
  /** Kills setup scripts that are still running. */
  stopScripts(): void;
}

const SETUP_TIMEOUT_MS = 30_000;
/** How many setup scripts run at once for callers without the operator token, and how many more of each can wait. */
const SCRIPTS_AT_ONCE = 4;
const MOST_WAITING = 256;

/** Creates the routes that list, create, run, duplicate and delete agents. */
export const createAgents = ({
  config: { scriptEnvironment, systemRoot },
  disk,
  trust,
  readSearchPath,
  setupTimeoutMs = SETUP_TIMEOUT_MS,
  ...deps
}: AgentsFeatureDeps): AgentsFeature => {
  const scripts = new AbortController();
  const turns = createFairQueue(MOST_WAITING, SCRIPTS_AT_ONCE);
  const agents = createAgentsService({
    ...deps,
    list: () => disk.list('agents'),
    setupScript: createSetupScript(deps.root, {
      requireTrusted: trust.requireTrusted,
      environment: scriptEnvironment,
      readSearchPath,
      systemRoot,
      timeoutMs: setupTimeoutMs,
      signal: scripts.signal,
    }),
  });
  /** Runs a task that starts a script, at once for the operator. Throws `too_many_connections`. */
  const inTurn = (caller: Caller, id: string, task: () => Promise<void>): Promise<void> => {
    // Nobody else's script that hangs keeps the operator waiting.
    if (caller.kind === 'operator') return task();
    const job = turns.add(queueNameOf(caller), id, task);
    if (job) return job.result;
    throw new AppError(
      'too_many_connections',
      'Too many agents are being created at the moment. Try again in a moment.',
      { retryAfterSeconds: 1 },
    );
  };
  return {
    routes(bind) {
      bind(listAgents, () => agents.list());
      bind(getAgent, ({ params }, caller) => agents.summarize(params.id, readerOf(caller)));
      bind(getRunCommand, ({ params }, caller) => agents.runCommand(params.id, readerOf(caller)));
      bind(createAgent, async ({ body }, caller) => {
        await inTurn(caller, body.name, () => agents.create(body.name, body.workspace ?? false));
        return { ok: true as const, id: body.name };
      });
      bind(duplicateAgent, async ({ params, body }) => {
        const leftOut = await agents.duplicate(params.id, body.name);
        return { ok: true as const, id: body.name, leftOut };
      });
      bind(deleteAgent, async ({ params, body }) => ({
        ok: true as const,
        entry: await agents.delete(params.id, body.confirm),
      }));
    },
    runCommand: (id) => agents.runCommand(id, OPERATOR_READER),
    terminalCommand: agents.terminalCommand,
    resumeCommand: agents.resumeCommand,
    access: agents.access,
    deletion: agents.deletion,
    stopScripts: () => scripts.abort(),
  };
};
