import { createThread } from '../platform/thread.ts';
import type { AgentSignature } from './agent-signature.ts';

/** Takes signatures of agents in a thread of its own. */
export interface Signatures {
  /** The state after this call; undefined where a signature would not tell all, or the thread failed. */
  of(id: string): Promise<AgentSignature | undefined>;
  close(): Promise<void>;
}

interface Batch {
  ids: Set<string>;
  taken: Promise<ReadonlyMap<string, AgentSignature>>;
}

/**
 * Makes a {@link Signatures} whose thread runs the module at `workerUrl`.
 *
 * One question is under way at a time; whoever comes meanwhile is in the next, all ids together. So the cost of
 * crossing to the thread is shared by as many callers as there are, and no answer is older than its call.
 */
export const createSignatures = (workerUrl: URL, rootPath: string): Signatures => {
  const thread = createThread<string[], Map<string, AgentSignature>>(workerUrl, {
    name: 'signatures',
    workerData: { rootPath },
  });
  let running: Promise<unknown> | undefined;
  let gathering: Batch | undefined;

  const gather = (): Batch => {
    const ids = new Set<string>();
    // Not at once: what else arrives in this turn of the event loop can then share the question.
    const begin = running ?? new Promise<void>((resolve) => setImmediate(resolve));
    const taken = begin.then(() => {
      gathering = undefined;
      // Never rejects: without signatures everybody looks for themselves.
      const asking = thread.ask([...ids]).catch(() => new Map<string, AgentSignature>());
      running = asking;
      void asking.then(() => {
        if (running === asking) running = undefined;
      });
      return asking;
    });
    return { ids, taken };
  };

  return {
    of(id) {
      gathering ??= gather();
      gathering.ids.add(id);
      return gathering.taken.then((signatures) => signatures.get(id));
    },
    close: () => thread.close(),
  };
};
