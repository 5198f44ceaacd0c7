import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId, okBody } from './fields.ts';
import { KEY_SCOPES } from './key-scopes.ts';

/** What a run can report. After the last two, it is no longer live. */
export const REPORTED_STATES = ['running', 'waiting', 'done', 'ended'] as const;

/** One of {@link REPORTED_STATES}. */
export type ReportedState = (typeof REPORTED_STATES)[number];

/** How often a live run repeats its report. */
export const REPORT_EVERY_MS = 10_000;

/** How long a run is live after its last report: two may get lost. */
export const LIVE_AFTER_REPORT_MS = 25_000;

/** How long an agent shows that it is done. */
export const SHOW_DONE_MS = 24 * 60 * 60_000;

/** The most live runs of an agent that are kept. */
export const MOST_RUNS = 16;

const LONGEST_STATE_MS = 30 * 24 * 60 * 60_000;

const since = z.iso.datetime().describe('Since when.');

const liveRun = z
  .object({
    state: z
      .enum(['running', 'waiting'])
      .describe('`running`: the agent works. `waiting`: it asked a person something.'),
    since,
    model: z.string().nullable().describe('The model, as provider/id. Null if the run named none.'),
    cwd: z
      .string()
      .nullable()
      .optional()
      .describe(
        'The working directory. Null if the run named none. Only the operator gets it, because it can be outside of the root.',
      ),
  })
  .meta({ id: 'LiveRun' });

/** One process of pi that works or waits. */
export type LiveRun = z.infer<typeof liveRun>;

const agentStatus = z
  .object({
    agent: agentId,
    state: z
      .enum(['running', 'waiting', 'done'])
      .describe(
        '`waiting` if any run waits, else `running` if any runs. `done`: the last run finished its work.',
      ),
    since,
    runs: z.array(liveRun).describe('Its live runs: those that wait first, then the earliest first.'),
  })
  .meta({ id: 'AgentStatus' });

/** What an agent does now, or did last. */
export type AgentStatus = z.infer<typeof agentStatus>;

/** Reports what one run of an agent does. */
export const reportStatus = defineEndpoint({
  id: 'status.report',
  method: 'POST',
  path: '/api/agents/:id/status',
  summary: 'Report what a run of an agent does',
  description:
    'The extension `dot-mi-status.ts` sends it. A run that works or waits repeats its report every 10 s. ' +
    `Without one for ${LIVE_AFTER_REPORT_MS / 1000} s, it counts as ended. A report has the whole state, so the next one restores it after a restart of dot-mi. ` +
    `An agent has at most ${MOST_RUNS} live runs. One more replaces another.`,
  access: 'api',
  keys: KEY_SCOPES,
  ownAgent: true,
  params: agentParams,
  body: z.strictObject({
    run: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .describe('Names the process, such as its id and a random number.')
      .meta({ examples: ['4711-5f0c9a'] }),
    state: z
      .enum(REPORTED_STATES)
      .describe(
        '`running`: it works. `waiting`: it asked a person something. `done`: it finished its work. `ended`: it ended, or was stopped by a person.',
      ),
    forMs: z
      .int()
      .nonnegative()
      .max(LONGEST_STATE_MS)
      .default(0)
      .describe('How long it has been in this state, in milliseconds.'),
    model: z.string().max(200).optional().describe('The model, as provider/id.'),
    cwd: z.string().max(1_024).optional().describe('The working directory.'),
    directory: z
      .string()
      .max(4_096)
      .optional()
      .describe(
        "The absolute path of the agent's directory, without symlinks, because another root can have an agent of the same id.",
      ),
  }),
  bodyLimitBytes: 16 * 1024,
  success: { status: 200, body: okBody },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_changed', 'root_unavailable'],
});

/** The body of {@link reportStatus}. */
export type StatusReport = z.output<typeof reportStatus.body>;

/** What all agents do now. */
export const listStatus = defineEndpoint({
  id: 'status.list',
  method: 'GET',
  path: '/api/status',
  summary: 'List which agents run, wait for a person, or are done',
  description:
    'Lists the agents that reported something, and no others. An agent is `done` for a day. The event `status` says when to read it again.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    body: z.object({
      running: z.int().nonnegative().describe('The number of agents that run.'),
      waiting: z.int().nonnegative().describe('The number of agents that wait for a person.'),
      agents: z.array(agentStatus).describe('Sorted by agent.'),
    }),
  },
  errors: [],
});

/** The response of {@link listStatus}. */
export type StatusList = z.infer<typeof listStatus.success.body>;
