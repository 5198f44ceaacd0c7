import { join } from 'node:path';
import { EDITABLE_FILES } from '../../shared/api/names.ts';
import { fromSystemError } from '../platform/app-error.ts';
import { fingerprintOf } from '../platform/fingerprint.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';

/** The state of an agent's editable files, without their contents. */
export interface AgentSignature {
  /** Stays equal until one of these changes: the root, `agents`, the agent's directory, one of its files. */
  text: string;
  /** When the latest of them changed, in milliseconds since 1970. */
  changedAtMs: number;
}

/**
 * Takes the signature of an agent: blocking, for its own thread, in 20 µs.
 *
 * Returns undefined if a signature can't cover everything: there is no such agent, a file is a link (its
 * target can change alone), or the system denies access. The caller then reads the files and reports the
 * problem.
 */
export const takeSignature = (root: Root, id: string): AgentSignature | undefined => {
  try {
    const [rootStats, agentsStats, agentStats] = [
      statIfThere(root.path),
      lstatIfThere(root.agents),
      lstatIfThere(root.agent(id)),
    ];
    // SECURITY: the signature also means that the agent is a real directory.
    if (!rootStats?.isDirectory() || !agentsStats?.isDirectory() || !agentStats?.isDirectory())
      return undefined;

    const agent = fingerprintOf(agentStats);
    // Only the identity of the folders above, because other agents appear and disappear there.
    const parts = [`${rootStats.dev}:${rootStats.ino}`, `${agentsStats.dev}:${agentsStats.ino}`, agent.text];
    let { changedAtMs } = agent;
    for (const name of EDITABLE_FILES) {
      const stats = lstatIfThere(join(root.agent(id), name));
      if (stats?.isSymbolicLink()) return undefined;
      const fingerprint = stats && fingerprintOf(stats);
      parts.push(fingerprint?.text ?? '-');
      changedAtMs = Math.max(changedAtMs, fingerprint?.changedAtMs ?? 0);
    }
    return { text: parts.join(' '), changedAtMs };
  } catch (error) {
    if (fromSystemError(error)) return undefined;
    throw error;
  }
};
