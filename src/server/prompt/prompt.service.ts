import type { AgentPrompt } from '../../shared/api/prompt.ts';
import { createBodyThread } from '../platform/body-thread.ts';
import type { Clock } from '../platform/clock.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { PromptQuestion, PromptThreadData } from './answer-prompt.ts';

/** Predicts prompts in a thread of its own. */
export interface PromptService {
  /** Throws `agent_not_found`, `root_unavailable`, `outside_root`, `not_a_directory`. */
  prompt(question: Omit<PromptQuestion, 'nowMs'>): Promise<PreparedBody<AgentPrompt>>;
  /** The prompt of an agent as an object, for the default version and directory. */
  read(id: string, isOperator: boolean): Promise<AgentPrompt>;
  close(): Promise<void>;
}

/** The settings that the service needs. */
interface PromptConfig {
  readonly homeDirectory: string;
  readonly scriptEnvironment: Readonly<Record<string, string>>;
  readonly sessionDirectories: PromptThreadData['sessionDirectories'];
}

/** Ends the thread after this long without a question. The tokenizer takes more than 100 MB of memory. */
const IDLE_MS = 5 * 60_000;

/** Creates the service. Its thread starts with the first question. */
export const createPromptService = (
  workerUrl: URL,
  rootPath: string,
  { homeDirectory, scriptEnvironment, sessionDirectories }: PromptConfig,
  clock: Pick<Clock, 'now'>,
): PromptService => {
  const searchPath = scriptEnvironment.PATH ?? '';
  const data: PromptThreadData = { rootPath, homeDirectory, searchPath, sessionDirectories };
  const start = () => createBodyThread<Record<string, never>>(workerUrl, data);
  let thread = start();
  let running = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const ask: PromptService['prompt'] = async (question) => {
    clearTimeout(idle);
    running++;
    try {
      return await thread.ask<AgentPrompt>({ ...question, nowMs: clock.now() });
    } finally {
      if (--running === 0)
        idle = setTimeout(() => {
          void thread.close();
          thread = start();
        }, IDLE_MS).unref();
    }
  };
  return {
    prompt: ask,
    async read(id, isOperator) {
      const { json } = await ask({ id, cwd: undefined, version: '1.5', trusted: undefined, isOperator });
      return JSON.parse(json.toString()) as AgentPrompt;
    },
    close() {
      clearTimeout(idle);
      return thread.close();
    },
  };
};
