import type { PiVersion } from '../../pi/flags.ts';
import { type AgentPrompt, getPrompt } from '../../shared/api/prompt.ts';
import type { Base, Feature } from '../feature.ts';
import { PROMPT_WORKER_URL } from '../locations.ts';
import { createBodyThread } from '../platform/body-thread.ts';
import { OPERATOR_READER, type Reader, readerOf } from '../platform/caller.ts';
import { knownVersionOf } from '../platform/installed-pi.ts';
import { ownDataOf } from '../platform/own-data.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { PromptQuestion, PromptThreadData } from './prompt-responses.ts';

/** Predicts prompts in its own thread. */
interface PromptService {
  /**
   * Uses the installed pi if no version is given. Throws `agent_not_found`, `root_unavailable`, `outside_root` and
   * `not_a_directory`.
   */
  prompt(
    question: Omit<PromptQuestion, 'nowMs' | 'pi' | 'version'> & { readonly version: PiVersion | undefined },
  ): Promise<PreparedBody<AgentPrompt>>;
  /** Returns an agent's prompt as an object, for the installed pi and the default directory. */
  read(id: string, reader: Reader): Promise<AgentPrompt>;
  /** Returns the prompt of an agent in another root, such as a private copy, in a directory. */
  readAt(rootPath: string, id: string, cwd: string): Promise<AgentPrompt>;
  close(): Promise<void>;
}

type PromptDeps = Pick<Base, 'config' | 'root' | 'clock' | 'findPi'>;

/** How long the thread lives without a request. The tokenizer takes more than 100 MB of memory. */
const IDLE_MS = 5 * 60_000;

/** Creates the service. Its thread starts with the first request. */
const createPromptService = ({ config, root, clock, findPi }: PromptDeps): PromptService => {
  const data: PromptThreadData = {
    rootPath: root.path,
    homeDirectory: config.homeDirectory,
    sessionDirectories: config.sessionDirectories,
    ownData: ownDataOf(config),
  };
  const start = () => createBodyThread<Record<string, never>>(PROMPT_WORKER_URL, data);
  let thread = start();
  let running = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const predict: PromptService['prompt'] = async (question) => {
    clearTimeout(idle);
    running++;
    try {
      const pi = await findPi();
      const version = question.version ?? knownVersionOf(pi);
      return await thread.ask<AgentPrompt>({ ...question, version, pi, nowMs: clock.now() });
    } finally {
      if (--running === 0)
        idle = setTimeout(() => {
          void thread.close();
          thread = start();
        }, IDLE_MS).unref();
    }
  };
  return {
    prompt: predict,
    async read(id, reader) {
      const { json } = await predict({
        id,
        cwd: undefined,
        version: undefined,
        trusted: undefined,
        reader,
      });
      return JSON.parse(json.toString()) as AgentPrompt;
    },
    async readAt(rootPath, id, cwd) {
      // dot-mi made this root in its own data.
      const other = createBodyThread<Record<string, never>>(PROMPT_WORKER_URL, {
        ...data,
        rootPath,
        sessionDirectories: [],
        ownData: [],
      } satisfies PromptThreadData);
      try {
        const pi = await findPi();
        const { json } = await other.ask<AgentPrompt>({
          id,
          cwd,
          version: knownVersionOf(pi),
          trusted: undefined,
          reader: OPERATOR_READER,
          pi,
          nowMs: clock.now(),
        });
        return JSON.parse(json.toString()) as AgentPrompt;
      } finally {
        await other.close();
      }
    },
    close() {
      clearTimeout(idle);
      return thread.close();
    },
  };
};

/** Creates the route that predicts prompts. */
export const createPrompt = (deps: PromptDeps): Feature & Pick<PromptService, 'read' | 'readAt'> => {
  const prompts = createPromptService(deps);
  return {
    routes(bind) {
      bind(getPrompt, ({ params, query }, caller) =>
        prompts.prompt({
          id: params.id,
          cwd: query.cwd,
          version: query.piVersion,
          trusted: query.trusted === undefined ? undefined : query.trusted === 'true',
          reader: readerOf(caller),
        }),
      );
    },
    read: prompts.read,
    readAt: prompts.readAt,
    close: prompts.close,
  };
};
