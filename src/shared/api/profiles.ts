import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentId } from './fields.ts';

/** The longest first line of a prompt that is reported, in characters. */
export const MAX_PROFILE_LINE = 160;

const agentProfile = z
  .object({
    id: agentId,
    model: z
      .object({
        name: z.string().describe('With its provider if the file names it: `anthropic/claude-sonnet-4-6`.'),
        source: z.enum(['pi-args', 'AGENT.md', 'settings.json']).describe('The file that names the model.'),
      })
      .optional()
      .describe('The model that it starts with. Absent if no file names one.'),
    firstLine: z
      .string()
      .optional()
      .describe(
        `The first line of SYSTEM.md that isn't a heading, at most ${MAX_PROFILE_LINE} characters. Absent without one.`,
      ),
  })
  .meta({ id: 'AgentProfile' });

/** What the files of an agent say about it. */
export type AgentProfile = z.infer<typeof agentProfile>;

/** The models and first lines of all agents. */
export const listProfiles = defineEndpoint({
  id: 'profiles.list',
  method: 'GET',
  path: '/api/profiles',
  summary: 'Get the model of each agent and the first line of its prompt',
  description:
    "Names the model that pi starts with, in pi's order: pi-args, AGENT.md if its extension is there, then settings.json. " +
    'Leaves out agents that have neither a model nor a first line. An agent that cannot be read hides no other.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({ agents: z.array(agentProfile).describe('The agents, by id.') }),
  },
  errors: ['root_unavailable'],
});
