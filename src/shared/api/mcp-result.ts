import { z } from 'zod';
import { ERROR_CODES } from './errors.ts';
import { agentId, codeOf, errorText } from './fields.ts';

// Apart from the routes of MCP servers, because those of the presets, which the first view has, need only this.

/** Why something was not done. */
export const mcpFailure = { code: codeOf(ERROR_CODES), error: errorText };

/** The schema of {@link BulkMcp}. */
export const bulkMcpResult = z
  .object({
    undo: z
      .string()
      .nullable()
      .describe(
        'Undoes what was done, until dot-mi has done 20 others or ends. Null if nothing was done, or too much to keep.',
      ),
    agents: z
      .array(
        z.object({
          id: agentId,
          done: z.array(z.string()).describe('The servers that were changed.'),
          unchanged: z.array(z.string()).describe('They were like that, or the agent doesn’t have them.'),
          failed: z
            .array(z.object({ name: z.string().describe('The name of the server.'), ...mcpFailure }))
            .describe('The servers that were not changed, each with its error.'),
        }),
      )
      .describe('The result for each agent.'),
  })
  .meta({ id: 'BulkMcp' });

/** The answer of {@link the bulk route}. */
export type BulkMcp = z.infer<typeof bulkMcpResult>;
