import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId, okBody } from './fields.ts';
import { KEY_SCOPES } from './key-scopes.ts';

/** The states that a run can report. After `done` or `ended`, it's no longer live. */
const REPORTED_STATES = ['running', 'waiting', 'done', 'ended'] as const;

export type ReportedState = (typeof REPORTED_STATES)[number];

/** How long a run is live after its last report, so that it survives the loss of two reports. */
export const LIVE_AFTER_REPORT_MS = 25_000;

/** How long an agent shows as done. */
export const SHOW_DONE_MS = 24 * 60 * 60_000;

/** The maximum number of live runs that dot-mi keeps for one agent. */
export const MOST_RUNS = 16;

const LONGEST_STATE_MS = 30 * 24 * 60 * 60_000;

const since = z.iso.datetime().describe('When this state began.');

const reportedTerminal = z.strictObject({
  host: z
    .string()
    .regex(/^[\w.-]{1,255}$/)
    .describe('The name of the computer. dot-mi shows only terminals of its own computer.'),
  tty: z
    .string()
    .regex(/^\/dev\/(pts\/\d{1,7}|tty[\w.]{1,32})$/)
    .optional()
    .describe('The device of the terminal.'),
  program: z
    .string()
    .regex(/^[\w .-]{1,40}$/)
    .optional()
    .describe('`TERM_PROGRAM`.'),
  tmux: z
    .strictObject({
      socket: z
        .string()
        .regex(/^\w[\w-]{0,63}$/)
        .describe('The name of tmux’s socket, such as `default`. Never a path.'),
      pane: z
        .string()
        .regex(/^%\d{1,9}$/)
        .describe('`TMUX_PANE`.'),
    })
    .optional()
    .describe('The pane, if tmux runs it.'),
  kitty: z
    .strictObject({
      socket: z
        .string()
        .regex(/^\/[\w./-]{1,200}$/)
        .describe('The path in `KITTY_LISTEN_ON`. It must be a socket of dot-mi’s user.'),
      window: z.int().positive().max(1e9).describe('`KITTY_WINDOW_ID`.'),
    })
    .optional()
    .describe('The window, if kitty shows it.'),
  wezterm: z
    .strictObject({ pane: z.int().nonnegative().max(1e9).describe('`WEZTERM_PANE`.') })
    .optional()
    .describe('The pane, if WezTerm shows it.'),
});

/** The terminal that a run reported. */
export type ReportedTerminal = z.infer<typeof reportedTerminal>;

const runTerminal = z.object({
  kind: z
    .enum(['tmux', 'kitty', 'wezterm', 'iterm2', 'terminal', 'other'])
    .describe('The program that shows it. `terminal`: Terminal on macOS.'),
  place: z.string().nullable().describe('The tmux pane or the device. Null if the run didn’t report one.'),
  canShow: z.boolean().describe('True if dot-mi can bring it to the front.'),
});

/** A run's terminal, for the operator. */
export type RunTerminal = z.infer<typeof runTerminal>;

const liveRun = z
  .object({
    state: z
      .enum(['running', 'waiting'])
      .describe('`running`: the agent is working. `waiting`: it waits for a person.'),
    since,
    model: z.string().nullable().describe('The model, as `provider/id`. Null if the run didn’t report one.'),
    cwd: z
      .string()
      .nullable()
      .optional()
      .describe(
        'The working directory. Null if the run didn’t report one. Only the operator gets it, because it can be outside the root.',
      ),
    terminal: runTerminal
      .nullable()
      .optional()
      .describe('The terminal. Null if the run didn’t report one. Only the operator gets it.'),
  })
  .meta({ id: 'LiveRun' });

/** A pi process that is running or waiting. */
export type LiveRun = z.infer<typeof liveRun>;

const agentStatus = z
  .object({
    agent: agentId,
    state: z
      .enum(['running', 'waiting', 'done'])
      .describe(
        '`waiting`: at least one run waits. `running`: at least one works, and none waits. `done`: the last run finished its work.',
      ),
    since,
    runs: z.array(liveRun).describe('The live runs: waiting ones first, then by `since`, oldest first.'),
  })
  .meta({ id: 'AgentStatus' });

/** An agent's current or last activity. */
export type AgentStatus = z.infer<typeof agentStatus>;

/** Reports what one run of an agent is doing. */
export const reportStatus = defineEndpoint({
  id: 'status.report',
  method: 'POST',
  path: '/api/agents/:id/status',
  summary: 'Report what a run of an agent is doing',
  description:
    'The extension `dot-mi-status.ts` sends this. A run that works or waits repeats its report every 10 s. ' +
    `Without a report for ${LIVE_AFTER_REPORT_MS / 1000} s, it counts as ended. Each report has the whole state, so after dot-mi restarts, the next one restores it. ` +
    `An agent has at most ${MOST_RUNS} live runs. Another one replaces the least urgent. ` +
    'A report without a token never replaces or changes a run of a key or the operator.',
  access: 'api',
  keys: KEY_SCOPES,
  ownAgent: true,
  params: agentParams,
  body: z.strictObject({
    run: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .describe('A name for the process, such as its process id and a random number.')
      .meta({ examples: ['4711-5f0c9a'] }),
    state: z
      .enum(REPORTED_STATES)
      .describe(
        '`running`: the run works. `waiting`: it waits for a person. `done`: it finished its work. `ended`: it ended, or a person stopped it.',
      ),
    forMs: z
      .int()
      .nonnegative()
      .max(LONGEST_STATE_MS)
      .default(0)
      .describe('How long the run has been in this state, in milliseconds.'),
    model: z.string().max(200).optional().describe('The model, as `provider/id`.'),
    cwd: z.string().max(1_024).optional().describe('The working directory.'),
    terminal: reportedTerminal.optional().describe('The terminal in which the run is.'),
    directory: z
      .string()
      .max(4_096)
      .optional()
      .describe(
        'The absolute path of the agent’s directory, with symlinks resolved. It identifies the root, because another root can have an agent with this id.',
      ),
  }),
  bodyLimitBytes: 16 * 1024,
  success: { status: 200, body: okBody },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_changed', 'root_unavailable'],
});

export type StatusReport = z.output<typeof reportStatus.body>;

/** Brings the terminal of an agent's run to the front. */
export const showTerminal = defineEndpoint({
  id: 'status.terminal',
  method: 'POST',
  path: '/api/agents/:id/status/terminal',
  summary: 'Bring the terminal of a run to the front',
  description:
    'Shows the terminal of the run that waits for a person, or else of one that works, on the computer where dot-mi runs. ' +
    'Works for tmux, kitty and WezTerm, and on macOS for iTerm2 and Terminal. It only selects a pane. kitty needs `allow_remote_control`, and `listen_on` with a path.',
  access: 'operator',
  keys: 'none',
  params: agentParams,
  success: { status: 200, body: okBody },
  errors: ['invalid_agent_id', 'agent_not_found', 'root_unavailable', 'terminal_not_shown'],
});

/** Lists what all agents are doing. */
export const listStatus = defineEndpoint({
  id: 'status.list',
  method: 'GET',
  path: '/api/status',
  summary: 'List the agents that are running, waiting for a person, or done',
  description:
    'Lists only agents that reported something. An agent stays `done` for a day. After the event `status`, read this again.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    body: z.object({
      running: z.int().nonnegative().describe('The number of agents that are running.'),
      waiting: z.int().nonnegative().describe('The number of agents that are waiting for a person.'),
      agents: z.array(agentStatus).describe('The agents, sorted by id.'),
    }),
  },
  errors: [],
});

export type StatusList = z.infer<typeof listStatus.success.body>;
