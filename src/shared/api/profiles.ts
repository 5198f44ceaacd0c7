import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentId } from './fields.ts';
import { EDITABLE_FILES, FORM_FILES } from './names.ts';

/** The length limit for a prompt's first line in a response, in characters. */
export const MAX_PROFILE_LINE = 160;

/** The most tools of a profile. pi has about a dozen. */
export const MAX_PROFILE_TOOLS = 64;

const agentProfile = z
  .object({
    id: agentId,
    model: z
      .object({
        name: z
          .string()
          .describe(
            'The name of the model, with its provider if the file names one: `anthropic/claude-sonnet-4-6`.',
          ),
        thinking: z
          .string()
          .optional()
          .describe('The thinking level after the name: `high` for `gpt-5.4:high`. Absent if there is none.'),
        source: z.enum(['pi-args', 'AGENT.md', 'settings.json']).describe('The file that names the model.'),
      })
      .optional()
      .describe('The model that the agent starts with. Absent if no file names one.'),
    tools: z
      .array(z.string())
      .max(MAX_PROFILE_TOOLS)
      .optional()
      .describe(
        `The first ${MAX_PROFILE_TOOLS} tools that pi-args allows. Empty if it allows none, and absent if it doesn’t say.`,
      ),
    firstLine: z
      .string()
      .optional()
      .describe(
        `The first line of SYSTEM.md that isn’t a heading, at most ${MAX_PROFILE_LINE} characters. Absent if there is none.`,
      ),
    unread: z
      .array(z.enum([...EDITABLE_FILES, ...FORM_FILES]))
      .optional()
      .describe(
        'The files that dot-mi can’t read as text, so that the model, tools or first line may be others. Absent if there are none.',
      ),
  })
  .meta({ id: 'AgentProfile' });

/** An agent's model, tools and its prompt's first line, as its files have them. */
export type AgentProfile = z.infer<typeof agentProfile>;

/** Lists every agent's model, tools and first line. */
export const listProfiles = defineEndpoint({
  id: 'profiles.list',
  method: 'GET',
  path: '/api/profiles',
  summary: 'List each agent’s model, tools and the first line of its prompt',
  description:
    'Looks for the model where pi does: in pi-args, then in AGENT.md if the agent has the extension that reads it, then in settings.json. ' +
    'Leaves out agents that have none of them. Unreadable agents don’t affect the others.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ agents: z.array(agentProfile).describe('The agents, sorted by id.') }),
  },
  errors: ['root_unavailable'],
});
