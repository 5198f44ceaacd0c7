import {
  createAgent,
  deleteAgent,
  duplicateAgent,
  getAgent,
  getRunCommand,
  listAgents,
} from '../../shared/api/agents.ts';
import type { Base, Feature } from '../feature.ts';
import { OPERATOR_READER, readerOf } from '../platform/caller.ts';
import { type AgentsDeps, type AgentsService, createAgentsService } from './agents.service.ts';
import { createSetupScript, type SetupScriptOptions } from './setup-script.ts';

interface AgentsFeatureDeps
  extends Pick<Base, 'config' | 'root' | 'disk' | 'agentLock' | 'clock' | 'linkSystem' | 'findPi'>,
    Pick<AgentsDeps, 'files' | 'trash' | 'budgetState' | 'apiUrl' | 'hasKey' | 'revokeKeysOf'>,
    Pick<SetupScriptOptions, 'readSearchPath'> {
  trust: Pick<SetupScriptOptions, 'requireTrusted'> & { isReady(): boolean };
  setupTimeoutMs?: number | undefined;
}

interface AgentsFeature extends Feature, Pick<AgentsService, 'resumeCommand'> {
  /** Returns the run command as the operator gets it. */
  runCommand(id: string): ReturnType<AgentsService['runCommand']>;
  /** Kills setup scripts that are still running. */
  stopScripts(): void;
}

const SETUP_TIMEOUT_MS = 30_000;

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
    isRootTrusted: trust.isReady,
  });
  return {
    routes(bind) {
      bind(listAgents, () => agents.list());
      bind(getAgent, ({ params }, caller) => agents.summarize(params.id, readerOf(caller)));
      bind(getRunCommand, ({ params }, caller) => agents.runCommand(params.id, readerOf(caller)));
      bind(createAgent, async ({ body }) => {
        await agents.create(body.name, body.workspace ?? false);
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
    resumeCommand: agents.resumeCommand,
    stopScripts: () => scripts.abort(),
  };
};
