import { z } from 'zod';
import { ERROR_CODES } from './errors.ts';
import { agentId, codeOf, errorText } from './fields.ts';

// This is a separate file so that the first view doesn't load the MCP routes. Presets need only this.

/** Why a change failed. */
const mcpFailure = { code: codeOf(ERROR_CODES), error: errorText };

export const bulkMcpResult = z
  .object({
    undo: z
      .string()
      .nullable()
      .describe(
        'The id of the change in the history, for `POST /api/changes/:change/undo`. Null if nothing changed, or if it can’t be undone.',
      ),
    agents: z
      .array(
        z.object({
          id: agentId,
          done: z.array(z.string()).describe('The servers that changed.'),
          unchanged: z
            .array(z.string())
            .describe('The servers that needed no change, or that the agent doesn’t have.'),
          failed: z
            .array(z.object({ name: z.string().describe('The name of the server.'), ...mcpFailure }))
            .describe('The servers that didn’t change, each with its error.'),
        }),
      )
      .describe('The results, by agent.'),
  })
  .meta({ id: 'BulkMcp' });

/** The response to a bulk change of MCP servers. */
export type BulkMcp = z.infer<typeof bulkMcpResult>;
