import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { usesOf } from '../shared/pi/pi-args.ts';
import { isInsideWorkspace, type RunCommand, workspaceName } from '../shared/run-command.ts';
import { agentEnvironment, type Environment } from './agent-environment.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { createConversation, type Settled, type TokenUsage } from './rpc-conversation.ts';

export type { TokenUsage } from './rpc-conversation.ts';

/** Why a run gave no answer. */
export const FAILURE_REASONS = [
  /** It took longer than `timeoutMs`. */
  'timeout',
  /** It wrote more than `mostOutputBytes`, or one line of more than 16 MiB. */
  'too_much_output',
  /** It used more than `maxOutputTokens`, and had more to do. */
  'too_many_tokens',
  /** The caller's signal. */
  'aborted',
  /** The model's provider refused or failed, also after pi's retries. */
  'model_error',
  /** pi refused the prompt: it has no model, or no key for it. */
  'not_ready',
  /** pi settled without text, or an extension handled the prompt. */
  'no_answer',
  /** pi ended before it settled. */
  'exited',
  /** pi isn't installed. */
  'not_found',
  /** The workspace couldn't be made, or the system refused to start pi. */
  'not_startable',
] as const;

/** One of {@link FAILURE_REASONS}. */
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** What one run may use. */
export interface RunLimits {
  /** From the start of the process until the agent has settled. Ending it takes up to four seconds more. */
  readonly timeoutMs: number;
  /** On both outputs together. pi's events are several times larger than the answer. */
  readonly mostOutputBytes: number;
}

/** One request of a customer to one agent. */
export interface AgentRequest {
  /** The agent's run command, as `GET /api/agents/:id/run-command` answers it. */
  readonly run: Pick<RunCommand, 'argv' | 'env' | 'cwd' | 'directories'>;
  /** The customer's text. It is sent as text, also if it begins with a slash. */
  readonly prompt: string;
  /** See {@link runAgentOnce}. */
  readonly maxOutputTokens?: number | undefined;
  readonly limits: RunLimits;
  readonly signal?: AbortSignal | undefined;
  /** The environment of which the agent gets a part. */
  readonly environment: Environment;
  /**
   * Where the workspace of an agent without one is made. pi reads the AGENTS.md of every directory above a
   * workspace, so it should be a directory that only the operator can write. The system's by default.
   */
  readonly temporaryDirectory?: string | undefined;
}

/** How a run ended. */
export type RunOutcome =
  | {
      readonly kind: 'answered';
      /** The text of the last message of the model. */
      readonly text: string;
      /** Whether the model reached its own limit of output tokens. */
      readonly isCutOff: boolean;
      readonly usage: TokenUsage;
    }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      /** What was used until then. It can be incomplete. */
      readonly usage: TokenUsage;
      /** For the operator's log only, never for a customer: the last error output of pi. At most 4,096 characters. */
      readonly detail: string;
    };

const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const MOST_DETAIL_CHARACTERS = 4_096;

/** Flags that choose another mode, continue a session, or ask nothing of the model. */
const DROPPED_FLAGS = new Set([
  '--mode',
  '--print',
  '--continue',
  '--resume',
  '--session',
  '--session-id',
  '--fork',
  '--',
]);

/** The command that starts an agent in RPC mode with a session of its own, with the arguments of its run command. */
export const rpcCommand = ([program = 'pi', ...args]: readonly string[]): string[] => {
  const uses = usesOf(args.map((text, offset) => ({ text, line: 1, column: 1, offset })));
  const kept = uses.flatMap((use) => {
    // pi refuses to start in RPC mode with files, and ignores messages.
    if (use.kind === 'file' || use.kind === 'message') return [];
    if (use.kind === 'flag' && (DROPPED_FLAGS.has(use.flag.name) || use.flag.exits)) return [];
    return 'value' in use && use.value ? [use.arg.text, use.value.text] : [use.arg.text];
  });
  return [program, '--mode', 'rpc', ...kept];
};

interface Workspace {
  readonly path: string;
  /** Removes a temporary one. Never throws. */
  close(): Promise<void>;
}

const PRIVATE = 0o700;

/** Makes a dated workspace next to the run's own, whose time is that of the run command. It is kept, as by setup.sh. */
const makeDatedWorkspace = async (parent: string): Promise<string> => {
  await mkdir(parent, { recursive: true });
  const name = workspaceName(new Date());
  for (let number = 1; ; number++) {
    const path = join(parent, number === 1 ? name : `${name}-${number}`);
    try {
      // Not recursive, so that a directory of another run is never used.
      await mkdir(path, PRIVATE);
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
};

const makeWorkspace = async (
  { cwd, directories }: AgentRequest['run'],
  temporaryDirectory: string,
): Promise<Workspace> => {
  const path =
    cwd === null
      ? // mkdtemp makes it private.
        await mkdtemp(join(await realpath(temporaryDirectory), 'dot-mi-sell-'))
      : await makeDatedWorkspace(dirname(cwd));
  for (const directory of directories.filter(isInsideWorkspace))
    await mkdir(join(path, directory), { recursive: true, mode: PRIVATE });
  return {
    path,
    close: async () => {
      if (cwd !== null) return;
      // An agent may have made a directory that can't be removed. It stays private.
      await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    },
  };
};

/** A text for a log: bounded, without secrets and without what would steer a terminal. */
const forLog = (text: string, secrets: readonly string[]): string => {
  const hidden = secrets.reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text);
  return stripVTControlCharacters(hidden)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .slice(-MOST_DETAIL_CHARACTERS);
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** How a run ended, before its process did. */
type Ending = Settled | { readonly kind: 'failed'; readonly reason: FailureReason; readonly detail: string };

/** Runs the agent in a workspace until it has settled or a limit is reached. Nothing of it is left afterwards. */
const runIn = async (
  workspace: string,
  { run, prompt, maxOutputTokens, limits, signal, environment }: AgentRequest,
): Promise<RunOutcome> => {
  const { variables, secrets } = await agentEnvironment(environment, run.env);
  const ending = Promise.withResolvers<Ending>();
  const failed = (reason: FailureReason, detail = '') => ending.resolve({ kind: 'failed', reason, detail });
  const abort = () => failed('aborted');
  const timer = setTimeout(() => failed('timeout'), limits.timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  let agent: AgentProcess | undefined;
  const conversation = createConversation({
    prompt,
    maxOutputTokens,
    send: (record) => agent?.send(record),
    onSettled: ending.resolve,
  });
  try {
    agent = await startAgent({
      argv: rpcCommand(run.argv),
      cwd: workspace,
      env: variables,
      marker: randomUUID(),
      mostOutputBytes: limits.mostOutputBytes,
      onLine: conversation.hear,
      onTooMuchOutput: () => failed('too_much_output'),
      onExit({ exitCode, startError }) {
        if (startError === 'ENOENT') failed('not_found');
        else if (startError !== undefined) failed('not_startable', startError);
        else failed('exited', `pi ended with ${exitCode ?? 'a signal'}.`);
      },
    });
    if (signal?.aborted) abort();
    conversation.begin();
    const end = await ending.promise;
    const usage = conversation.usage();
    await agent.end();
    if (end.kind === 'answered') return { ...end, usage };
    const detail = forLog(`${end.detail}\n${agent.stderrTail()}`.trim(), secrets);
    return { kind: 'failed', reason: end.reason, usage, detail };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    await agent?.end();
  }
};

/**
 * Answers one request with one process of the agent, in a fresh workspace and a new session. Never throws, and
 * resolves when everything that the agent started has ended.
 *
 * pi has no limit of output tokens for a run, so `maxOutputTokens` only bounds the price: a run that has used more is
 * stopped before its next call of the model, and a last answer that is longer is still an answer.
 *
 * SECURITY: neither `text` nor `reason` contains what pi says about this machine. An agent that may run commands can
 * still read what its user can read, and write to pi's own output.
 */
export const runAgentOnce = async (request: AgentRequest): Promise<RunOutcome> => {
  if (request.signal?.aborted) return { kind: 'failed', reason: 'aborted', usage: NO_USAGE, detail: '' };
  let workspace: Workspace | undefined;
  try {
    workspace = await makeWorkspace(request.run, request.temporaryDirectory ?? tmpdir());
    return await runIn(workspace.path, request);
  } catch (error) {
    return {
      kind: 'failed',
      reason: 'not_startable',
      usage: NO_USAGE,
      detail: forLog(messageOf(error), []),
    };
  } finally {
    await workspace?.close();
  }
};
