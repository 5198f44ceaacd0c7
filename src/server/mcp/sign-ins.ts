import { join } from 'node:path';
import { requireAgentSync } from '../platform/agent-directory.ts';
import { lstatIfThere } from '../platform/list-directory.ts';
import type { Root } from '../platform/root.ts';

/**
 * Returns whether pi has saved sign-ins to MCP servers for an agent. SECURITY: the file contains tokens, so only
 * check that it exists.
 *
 * Blocks. Throws `agent_not_found` and `root_unavailable`.
 */
export const hasSignIns = (root: Root, id: string): boolean =>
  lstatIfThere(join(requireAgentSync(root, id), 'agents', id, 'mcp-auth.json')) !== undefined;
