import type { BigIntStats } from 'node:fs';
import { lstatIfThere, statIfThere } from './list-directory.ts';
import type { Root } from './root.ts';

/** The directories above an agent's entries, as they are now. */
interface AgentPlace {
  /** Stays equal while the root, `agents` and the agent are the same directories, open to the same users. */
  readonly text: string;
  readonly agent: BigIntStats;
  /** The device of all three. Undefined if something is mounted in between. */
  readonly device: bigint | undefined;
}

/** Identifies a directory and who may open it. Other entries in it may change. */
export const identityOf = ({ dev, ino, mode, uid, gid }: BigIntStats): string =>
  `${dev}:${ino}:${mode}:${uid}:${gid}`;

/** Looks at the place of an agent: blocking, three calls. Undefined if one isn't a directory of its own. */
export const lookAtPlace = (root: Root, id: string): AgentPlace | undefined => {
  const [rootStats, agents, agent] = [
    statIfThere(root.path),
    lstatIfThere(root.agents),
    lstatIfThere(root.agent(id)),
  ];
  // SECURITY: a place also means that the agent is a real directory.
  if (!rootStats?.isDirectory() || !agents?.isDirectory() || !agent?.isDirectory()) return undefined;
  const isOneDevice = rootStats.dev === agents.dev && agents.dev === agent.dev;
  return {
    text: `${identityOf(rootStats)} ${identityOf(agents)} ${identityOf(agent)}`,
    agent,
    device: isOneDevice ? agent.dev : undefined,
  };
};
