import { z } from 'zod';
import { agentParams } from './agents.ts';
import { type Finding, findingSchema } from './checks.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId } from './fields.ts';

/** Why dot-mi doesn't know whether the agent is signed in. */
const SIGN_IN_UNKNOWN_REASONS = [
  'no_model',
  'no_provider',
  'pi_missing',
  'pi_unsafe',
  'pi_too_old',
  'root_not_trusted',
  'not_checked',
  'check_failed',
] as const;

export type SignInUnknownReason = (typeof SIGN_IN_UNKNOWN_REASONS)[number];

const agentSignIn = z
  .object({
    state: z
      .enum(['ready', 'missing', 'invalid', 'unknown'])
      .describe(
        '`ready`: pi has credentials for the provider. `missing`: it has none. `invalid`: pi can’t read the credentials or models.json. `unknown`: dot-mi couldn’t check.',
      ),
    provider: z.string().nullable().describe('The provider of the agent’s model. Null if no file names one.'),
    method: z
      .enum(['api_key', 'oauth'])
      .optional()
      .describe('How the agent signs in. Absent unless the state is `ready`.'),
    reason: z
      .enum(SIGN_IN_UNKNOWN_REASONS)
      .optional()
      .describe(
        'Why the state is `unknown`. `no_provider`: the model is named without a provider, and several providers may offer it. ' +
          '`pi_unsafe`: other users of the computer can replace pi, so dot-mi doesn’t run it. `not_checked`: the operator hasn’t checked it in the last ten minutes.',
      ),
  })
  .meta({ id: 'AgentSignIn' });

/** The sign-in state of an agent at its model's provider. */
export type AgentSignIn = z.infer<typeof agentSignIn>;

/** Rules whose findings prevent a run even though pi would start, because pi would ignore what the person wants. */
const STOPPING_RULES: ReadonlySet<string> = new Set(['tool-unknown', 'model-unknown', 'provider-renamed']);

/** Returns whether a finding means that the agent shouldn't run. */
export const stopsRun = ({ rule, severity }: Pick<Finding, 'rule' | 'severity'>): boolean =>
  severity === 'error' || STOPPING_RULES.has(rule);

const installedPi = z
  .object({
    version: z.string().nullable().describe('The version, such as `1.6.0`. Null if dot-mi can’t read it.'),
  })
  .nullable()
  .describe('The installed pi. Null if dot-mi can’t find pi on its PATH.');

const agentReadiness = z
  .object({
    ready: z
      .boolean()
      .nullable()
      .describe('False if something prevents a run. Null if nothing does, but the sign-in is unknown.'),
    pi: installedPi,
    model: z
      .string()
      .nullable()
      .describe('The model that the agent starts with. Null if no file names one, so pi chooses.'),
    signIn: agentSignIn.describe('The sign-in for the model’s provider.'),
    findings: z
      .array(findingSchema)
      .describe('The findings that prevent a run: errors, unknown tools and unknown models.'),
  })
  .meta({ id: 'AgentReadiness' });

/** The response of {@link getReadiness}. */
export type AgentReadiness = z.infer<typeof agentReadiness>;

/** Returns whether an agent can run now, and what prevents it. */
export const getReadiness = defineEndpoint({
  id: 'readiness.get',
  method: 'GET',
  path: '/api/agents/:id/readiness',
  summary: 'Check whether an agent is ready to run',
  description:
    'Finds pi, runs the checks, and runs `pi auth check` for the model’s provider. That needs pi 0.84.1 or later. It also needs a trusted root, ' +
    'because models.json can name a command. Only the operator’s requests run pi. Others get the result of the operator’s last check. ' +
    'pi gets only the names of the variables in dot-mi’s environment, so a key that you set only in a terminal counts as missing. ' +
    'dot-mi never reads or returns credentials.',
  access: 'api',
  keys: ['read-agents'],
  params: agentParams,
  success: { status: 200, body: agentReadiness },
  errors: ['invalid_agent_id', 'agent_not_found', 'outside_root', 'root_unavailable'],
});

/** Lists whether each agent is signed in, as far as dot-mi knows. */
export const listSignIns = defineEndpoint({
  id: 'readiness.list',
  method: 'GET',
  path: '/api/readiness',
  summary: 'Show which agents are signed in',
  description:
    'Agents with the same provider, auth.json and models.json share one check. dot-mi runs `pi auth check` for the ' +
    'largest groups, one after another, and keeps each result for ten minutes. Only the operator’s requests start checks. It responds immediately with what it knows, so ' +
    'repeat the request while `checking` is true. GET /api/checks has the results of the file checks. Its field `stopping` counts the findings that prevent a run.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    body: z.object({
      pi: installedPi,
      checking: z.boolean().describe('True while dot-mi is still checking.'),
      agents: z
        .array(
          z.object({
            id: agentId,
            state: z
              .enum(['ready', 'missing', 'invalid'])
              .describe('The state, as in GET /api/agents/:id/readiness.'),
          }),
        )
        .describe('The agents that dot-mi has checked, sorted by id.'),
    }),
  },
  errors: ['root_unavailable'],
});

export type SignIns = z.infer<typeof listSignIns.success.body>;
