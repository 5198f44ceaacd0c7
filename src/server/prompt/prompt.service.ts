import type { AgentPrompt } from '../../shared/api/prompt.ts';
import type { Clock } from '../platform/clock.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import { createScanner } from '../platform/scanner.ts';
import type { PromptQuestion, PromptThreadData } from './answer-prompt.ts';

/** Predicts prompts in a thread of its own. */
export interface PromptService {
  /** Throws `agent_not_found`, `root_unavailable`, `outside_root`, `not_a_directory`. */
  prompt(question: Omit<PromptQuestion, 'nowMs'>): Promise<PreparedBody<AgentPrompt>>;
  close(): Promise<void>;
}

/** The settings that the service needs. */
interface PromptConfig {
  readonly homeDirectory: string;
  readonly scriptEnvironment: Readonly<Record<string, string>>;
}

/** Creates the service. Its thread starts with the first question. */
export const createPromptService = (
  workerUrl: URL,
  rootPath: string,
  { homeDirectory, scriptEnvironment }: PromptConfig,
  clock: Pick<Clock, 'now'>,
): PromptService => {
  const searchPath = scriptEnvironment.PATH ?? '';
  const data: PromptThreadData = { rootPath, homeDirectory, searchPath };
  const thread = createScanner<Record<string, never>>(workerUrl, data);
  return {
    prompt: (question) => thread.ask<AgentPrompt>({ ...question, nowMs: clock.now() }),
    close: () => thread.close(),
  };
};
