import { createThread } from '../platform/thread.ts';
import type { AgentSignature } from './agent-signature.ts';

/** Takes signatures of agents in its own thread. */
export interface Signatures {
  /** Returns the state after this call, or undefined if there is no signature or the thread failed. */
  of(id: string): Promise<AgentSignature | undefined>;
  close(): Promise<void>;
}

interface Batch {
  ids: Set<string>;
  taken: Promise<ReadonlyMap<string, AgentSignature>>;
}

/**
 * Creates a {@link Signatures} whose thread runs the module at `workerUrl`.
 *
 * One request runs at a time, and all calls during it share the next one. So callers share the cost of
 * crossing to the thread, and no answer is older than its call.
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
    // Not at once, so that other calls in this turn of the event loop can share the request.
    const begin = running ?? new Promise<void>((resolve) => setImmediate(resolve));
    const taken = begin.then(() => {
      gathering = undefined;
      // Never rejects. Without signatures, callers read the files.
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
