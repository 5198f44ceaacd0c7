import { z } from 'zod';
import { agentParams } from './agents.ts';
import { type Finding, findingSchema } from './checks.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId } from './fields.ts';

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

/** Rules about what pi does without, although a person wanted it. The others that stop a run are errors. */
const STOPPING_RULES: ReadonlySet<string> = new Set(['tool-unknown', 'model-unknown', 'provider-renamed']);

/** Whether an agent with a finding shouldn't run. */
export const stopsRun = ({ rule, severity }: Pick<Finding, 'rule' | 'severity'>): boolean =>
  severity === 'error' || STOPPING_RULES.has(rule);

const installedPi = z
  .object({ version: z.string().nullable().describe('Such as `1.5.2`. Null if it can’t be read.') })
  .nullable()
  .describe('The installed pi. Null if dot-mi finds none on its PATH.');

const agentReadiness = z
  .object({
    ready: z
      .boolean()
      .nullable()
      .describe('False if something stops a run. Null if nothing does, but the sign-in is unknown.'),
    pi: installedPi,
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

/** What is known of the sign-in of all agents. */
export const listSignIns = defineEndpoint({
  id: 'readiness.list',
  method: 'GET',
  path: '/api/readiness',
  summary: 'List which agents are signed in',
  description:
    'Agents with the same provider and the same auth.json and models.json, or none, share one check. dot-mi runs `pi auth check` for the ' +
    'largest groups, one after the other, and keeps a result for ten minutes. It answers at once with what is known, so ' +
    'ask again while `checking` is true. The checks of files are in GET /api/checks, where `stopping` counts what stops a run.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    body: z.object({
      pi: installedPi,
      checking: z.boolean().describe('True while a check runs.'),
      agents: z
        .array(
          z.object({
            id: agentId,
            state: z.enum(['ready', 'missing', 'invalid']).describe('As in GET /api/agents/:id/readiness.'),
          }),
        )
        .describe('The agents whose sign-in is known, by id. The others were not checked.'),
    }),
  },
  errors: ['root_unavailable'],
});

/** The response of {@link listSignIns}. */
export type SignIns = z.infer<typeof listSignIns.success.body>;
