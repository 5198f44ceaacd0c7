import { join } from 'node:path';
import { EDITABLE_FILES } from '../../shared/api/names.ts';
import { fromSystemError } from '../platform/app-error.ts';
import { fingerprintOf } from '../platform/fingerprint.ts';
import { lstatIfThere, statIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';

/** The state of an agent's editable files, without what is in them. */
export interface AgentSignature {
  /** Equal as long as nothing changed: the root, `agents`, the agent's directory, or one of its files. */
  text: string;
  /** When the newest of them changed, in milliseconds since 1970. */
  changedAtMs: number;
}

/**
 * Takes the signature of an agent: blocking, for a thread of its own; 20 µs.
 *
 * It is undefined where a signature would not tell all: the agent is none, a file is a link (what it leads to can
 * change without it), or the system does not let us look. The caller then looks for itself, and says what is wrong.
 */
export const takeSignature = (root: Root, id: string): AgentSignature | undefined => {
  try {
    const [rootStats, agentsStats, agentStats] = [
      statIfThere(root.path),
      lstatIfThere(root.agents),
      lstatIfThere(root.agent(id)),
    ];
    // SECURITY: that the agent is a directory of its own is part of what the signature stands for.
    if (!rootStats?.isDirectory() || !agentsStats?.isDirectory() || !agentStats?.isDirectory())
      return undefined;

    const agent = fingerprintOf(agentStats);
    // Of the folders above only which ones they are: other agents come and go.
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
