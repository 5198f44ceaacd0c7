import { join } from 'node:path';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';

/**
 * Whether pi has kept sign-ins to MCP servers for an agent. SECURITY: the file holds tokens, so only its presence counts.
 *
 * Blocks. Throws `agent_not_found`, `root_unavailable`.
 */
export const hasSignIns = (root: Root, id: string): boolean =>
  lstatIfThere(join(requireAgentSync(root, id), 'agents', id, 'mcp-auth.json')) !== undefined;
