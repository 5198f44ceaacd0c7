import { z } from 'zod';
import { agentParams } from './agents.ts';
import { findingSchema } from './checks.ts';
import { defineEndpoint } from './endpoint.ts';

/** Why nobody knows whether the agent is signed in. */
export const SIGN_IN_UNKNOWN_REASONS = [
  'no_model',
  'no_provider',
  'pi_missing',
  'pi_too_old',
  'root_not_trusted',
  'check_failed',
] as const;

/** One of {@link SIGN_IN_UNKNOWN_REASONS}. */
export type SignInUnknownReason = (typeof SIGN_IN_UNKNOWN_REASONS)[number];

const agentSignIn = z
  .object({
    state: z
      .enum(['ready', 'missing', 'invalid', 'unknown'])
      .describe(
        '`missing`: pi has no credentials for the provider. `invalid`: pi can’t read the credentials or models.json. `unknown`: dot-mi did not ask pi, or pi did not say.',
      ),
    provider: z.string().nullable().describe('The provider that was checked. Null if no file names one.'),
    method: z.enum(['api_key', 'oauth']).optional().describe('How the agent signs in. Only if `ready`.'),
    reason: z
      .enum(SIGN_IN_UNKNOWN_REASONS)
      .optional()
      .describe(
        'Why the state is `unknown`. `no_provider`: the model’s name has none, and pi refuses a name that several providers offer.',
      ),
  })
  .meta({ id: 'AgentSignIn' });

/** Whether an agent can use its model's provider. */
export type AgentSignIn = z.infer<typeof agentSignIn>;

const agentReadiness = z
  .object({
    ready: z
      .boolean()
      .nullable()
      .describe('False if something stops a run. Null if nothing does, but the sign-in is unknown.'),
    pi: z
      .object({ version: z.string().nullable().describe('Such as `1.5.2`. Null if it can’t be read.') })
      .nullable()
      .describe('The installed pi. Null if dot-mi finds none on its PATH.'),
    model: z
      .string()
      .nullable()
      .describe('The model that the agent starts with. Null if no file names one, and pi then chooses.'),
    signIn: agentSignIn.describe('The sign-in to the provider of its model.'),
    findings: z
      .array(findingSchema)
      .describe('The findings that stop a run: errors, unknown tools and unknown models.'),
  })
  .meta({ id: 'AgentReadiness' });

/** The response of {@link getReadiness}. */
export type AgentReadiness = z.infer<typeof agentReadiness>;

/** Whether an agent can run now. */
export const getReadiness = defineEndpoint({
  id: 'readiness.get',
  method: 'GET',
  path: '/api/agents/:id/readiness',
  summary: 'Check whether an agent is ready to run',
  description:
    'Finds pi, runs the checks, and runs `pi auth check` for the provider of the agent’s model. The last needs pi 0.84.1 or later, and a trusted root ' +
    'because models.json can name a command. pi runs with the environment of dot-mi, so a key that only a terminal sets counts as missing. ' +
    'The response has no credentials, and dot-mi never reads them.',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  success: { status: 200, body: agentReadiness },
  errors: ['invalid_agent_id', 'agent_not_found', 'outside_root', 'root_unavailable'],
});
