import { workerData } from 'node:worker_threads';
import { type AgentSignature, takeSignature } from '../files/agent-signature.ts';
import { createRoot } from '../platform/root.ts';
import { answerQuestions } from '../platform/thread.ts';

/**
 * Entry point of the thread that takes signatures of agents. It isn't the scanner thread, which a scan of
 * 10,000 agents occupies for tens of milliseconds.
 */
const root = createRoot((workerData as { rootPath: string }).rootPath);

answerQuestions((ids: readonly string[]) => {
  const signatures = new Map<string, AgentSignature>();
  for (const id of ids) {
    const signature = takeSignature(root, id);
    if (signature) signatures.set(id, signature);
  }
  return signatures;
});
