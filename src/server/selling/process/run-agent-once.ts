import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Environment, isOwnVariable, isSystemVariable, piEnvironment } from '../../../pi/environment.ts';
import { usesOf } from '../../../pi/pi-args.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import {
  type ConversationEnd,
  createConversation,
  NO_TOKENS,
  type PiModel,
  type RunBudget,
  type StopReason,
  type TokenUsage,
} from './rpc-conversation.ts';
import { type OutputLimit, openRunDirectory, type RunDirectory, type SoldFiles } from './run-directory.ts';

export type { StopReason, TokenUsage } from './rpc-conversation.ts';

/** Why a run had no output. */
export type FailureReason =
  /** It took longer than `timeoutMs`. */
  | 'timeout'
  /** It wrote more than `mostOutputBytes`, or one line of more than 16 MiB. */
  | 'too_much_output'
  /** The caller aborted it. */
  | 'aborted'
  /** The model's provider refused or failed, even after pi's retries. */
  | 'model_error'
  /** pi refused the prompt: it has no model or no key for it, or doesn't limit its output. */
  | 'not_ready'
  /** pi settled without text, or an extension handled the prompt. */
  | 'no_answer'
  /** pi exited before it settled. */
  | 'exited'
  /** pi isn't installed. */
  | 'not_found'
  /** The workspace couldn't be created, or the system refused to start pi. */
  | 'not_startable';

/** The limits of one run. */
interface RunLimits {
  /** From the start of the process until the agent has settled. Ending the process takes up to four seconds more. */
  readonly timeoutMs: number;
  /** For standard output and standard error together. pi's events are several times larger than the output text. */
  readonly mostOutputBytes: number;
}

/** An agent for sale, and what its runs have in common. */
export interface AgentForSale {
  readonly files: SoldFiles;
  /** The agent's arguments for pi. */
  readonly args: readonly string[];
  /** The model tokens of the agent's own prompt, for providers that report no usage. */
  readonly promptTokens: number;
  /** The program that starts pi and its first arguments, all by their absolute paths. */
  readonly pi: readonly [string, ...string[]];
  /** The names of the environment variables that the agent gets in addition to those that pi needs. */
  readonly variables: readonly string[];
  readonly limits: RunLimits;
  /** The environment. The agent gets only part of it. */
  readonly environment: Environment;
  /**
   * The parent of the runs' directories. pi reads the AGENTS.md of every directory above a workspace, so only the
   * operator should be able to write to it. Defaults to the system's temporary one.
   */
  readonly temporaryDirectory?: string | undefined;
}

/** A customer's request to an agent. */
export interface AgentRequest {
  /** The customer's text. It's sent as text, even if it begins with a slash. */
  readonly prompt: string;
  readonly budget: RunBudget;
  /** Called with each part of the text as the model writes it. Without it, pi can repeat a call that failed. */
  readonly onText?: ((part: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a run used. `isEstimated` is true if the provider didn't report all of it. */
interface RunUsage extends TokenUsage {
  readonly isEstimated: boolean;
}

/** The result of a run. */
export type RunOutcome =
  | {
      readonly kind: 'answered';
      /** The text of the model's last message. Empty if the run was stopped before it wrote one. */
      readonly text: string;
      /** Why the response ends early. Null if it's complete. */
      readonly stopped: StopReason | null;
      readonly usage: RunUsage;
    }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      /** The usage up to the failure, which can be incomplete. */
      readonly usage: RunUsage;
      /** For the operator's log only, never for a customer: pi's last error output. At most 4,096 characters. */
      readonly detail: string;
    };

const NO_USAGE: RunUsage = { ...NO_TOKENS, isEstimated: false };
const MOST_DETAIL_CHARACTERS = 4_096;

/** Flags that choose another mode, continue a session, or request nothing from the model. */
const DROPPED_FLAGS = new Set([
  '--mode',
  '--print',
  '--continue',
  '--resume',
  '--session',
  '--session-id',
  '--session-dir',
  '--fork',
  '--',
]);

/** Returns the command that starts an agent in RPC mode with its own session. `ours` are further arguments of the run. */
export const rpcCommand = (
  pi: AgentForSale['pi'],
  args: readonly string[],
  ours: readonly string[],
): [string, ...string[]] => {
  const uses = usesOf(args.map((text, offset) => ({ text, line: 1, column: 1, offset })));
  const kept = uses.flatMap((use) => {
    // pi refuses to start in RPC mode with files, and ignores messages.
    if (use.kind === 'file' || use.kind === 'message') return [];
    if (use.kind === 'flag' && (DROPPED_FLAGS.has(use.flag.name) || use.flag.exits)) return [];
    return 'value' in use && use.value ? [use.arg.text, use.value.text] : [use.arg.text];
  });
  // Ours first, because the last of the others may lack its value.
  return [...pi, '--mode', 'rpc', ...ours, ...kept];
};

/** Prepares text for a log: shortens it, and removes secrets and terminal control sequences. */
const forLog = (text: string, secrets: readonly string[]): string => {
  const hidden = secrets.reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text);
  return stripVTControlCharacters(hidden)
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .slice(-MOST_DETAIL_CHARACTERS);
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** How a run ended, before its process did. */
type Ending =
  | ConversationEnd
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly detail: string };

/** The environment of an agent for sale. */
interface AgentEnvironment {
  readonly variables: Record<string, string>;
  /** Values that no log may contain. */
  readonly secrets: readonly string[];
}

/** The shortest value that counts as a secret. Shorter ones could occur inside ordinary words. */
const LEAST_SECRET_CHARACTERS = 8;

/**
 * Returns the environment of an agent for sale: what pi needs, the variables that the operator named for it, and those
 * of its run. It has none of dot-mi's variables.
 */
const agentEnvironment = (
  environment: Environment,
  named: readonly string[],
  run: Readonly<Record<string, string>>,
): AgentEnvironment => {
  const inherited = piEnvironment(environment, named);
  const own = Object.entries(run).filter(([name]) => !isOwnVariable(name));
  return {
    variables: { ...inherited, ...Object.fromEntries(own) },
    secrets: Object.entries(inherited).flatMap(([name, value]) =>
      isSystemVariable(name) || value.length < LEAST_SECRET_CHARACTERS ? [] : [value],
    ),
  };
};

/** Runs the agent until it has settled or a limit is reached. Leaves none of its processes running. */
const runIn = async (
  { workspace, agentDirectory, extension }: RunDirectory,
  { args, pi, promptTokens, variables: named, limits, environment }: AgentForSale,
  { prompt, budget, onText, signal }: AgentRequest,
): Promise<RunOutcome | (ConversationEnd & { kind: 'unlimited' })> => {
  // Its table of tokens takes 70 MB, so a service has it only once it works.
  const { countAtOnce } = await import('../../../shared/tokenizer.ts');
  const own = { PI_CODING_AGENT_DIR: agentDirectory };
  // The arguments name no place on this computer.
  const ours = [
    ...['--session-dir', relative(workspace, join(agentDirectory, 'sessions'))],
    ...['--extension', relative(workspace, extension)],
  ];
  const { variables, secrets } = agentEnvironment(environment, named, own);
  const ending = Promise.withResolvers<Ending>();
  const failed = (reason: FailureReason, detail = '') => ending.resolve({ kind: 'failed', reason, detail });
  const abort = () => failed('aborted');
  const timer = setTimeout(() => failed('timeout'), limits.timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  let agent: AgentProcess | undefined;
  const conversation = createConversation({
    prompt,
    promptTokens,
    budget,
    countTokens: countAtOnce,
    send: (record) => agent?.send(record),
    onText,
    onEnd: ending.resolve,
  });
  try {
    agent = startAgent({
      argv: rpcCommand(pi, args, ours),
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
    if (end.kind === 'unlimited') return end;
    if (end.kind === 'answered') return { ...end, usage };
    const detail = forLog(`${end.detail}\n${agent.stderrTail()}`.trim(), secrets);
    return { kind: 'failed', reason: end.reason, usage, detail };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    await agent?.end();
  }
};

const notRun = (reason: FailureReason, detail: string): RunOutcome => ({
  kind: 'failed',
  reason,
  usage: NO_USAGE,
  detail: forLog(detail, []),
});

/**
 * Creates the function that handles one request with one process of the agent, in a new workspace and a new session. It
 * never throws, and resolves when everything that the agent started has ended.
 *
 * pi limits the output of each call as its models.json says. pi alone knows which model it uses, so the first run asks for
 * it, and starts again with its limit.
 *
 * SECURITY: neither `text` nor `reason` contains pi's messages about this computer. An agent that can run commands
 * can still read what its user can read, and write to pi's own output.
 */
export const createAgentRuns = (agent: AgentForSale): ((request: AgentRequest) => Promise<RunOutcome>) => {
  const { files, temporaryDirectory = tmpdir() } = agent;
  let known: PiModel | undefined;

  const runOnce = async (request: AgentRequest) => {
    const limit: OutputLimit | undefined = known && {
      ...known,
      maxTokens: Math.max(1, Math.floor(request.budget.maxOutputTokens)),
    };
    const directory = await openRunDirectory(files, temporaryDirectory, limit);
    try {
      return await runIn(directory, agent, request);
    } finally {
      await directory.close();
    }
  };

  return async (request) => {
    if (request.signal?.aborted) return notRun('aborted', '');
    try {
      const first = await runOnce(request);
      if (first.kind !== 'unlimited') return first;
      known = first.model;
      const second = await runOnce(request);
      if (second.kind !== 'unlimited') return second;
      return notRun('not_ready', 'pi doesn’t limit the output of its model as models.json says.');
    } catch (error) {
      return notRun('not_startable', messageOf(error));
    }
  };
};
