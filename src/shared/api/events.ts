import { z } from 'zod';
import { BUDGET_PERIODS, BUDGET_UNITS } from './budgets.ts';
import { chargeState } from './charge-state.ts';
import { defineEndpoint, type EventAccess } from './endpoint.ts';
import { agentId, id, priceSource } from './fields.ts';
import { EDITABLE_FILES, LINK_KINDS } from './names.ts';
import { SERVICE_STATES } from './services.ts';
import { operationKind, operationState } from './wallet.ts';

/**
 * The data of each event. Null means that too much changed at once to list, so read everything again.
 */
const eventSchemas = {
  hello: z
    .object({})
    .describe('The first event of each stream. Anything may have changed before it, so read what you need.'),
  agents: z.object({
    ids: z
      .array(z.string())
      .nullable()
      .describe(
        'The agents that were added or deleted, or whose files changed. Null: this may apply to any agent.',
      ),
    files: z
      .array(z.enum(EDITABLE_FILES))
      .nullable()
      .describe('The editable files that changed. Null: this may apply to any agent.'),
  }),
  entries: z.object({
    ids: z
      .array(z.string())
      .nullable()
      .describe(
        'The agents whose directories changed, except their editable files and links. Null: this may apply to any agent.',
      ),
  }),
  sessions: z.object({
    ids: z
      .array(z.string())
      .nullable()
      .describe(
        'The agents with a new, longer or deleted session. Null: any may have one. At most two events a second.',
      ),
  }),
  links: z.object({
    ids: z
      .array(z.string())
      .nullable()
      .describe(
        'The agents whose links changed. Empty if only a team’s links changed. Null: this may apply to any agent.',
      ),
  }),
  catalog: z.object({ kinds: z.array(z.enum(LINK_KINDS)).describe('The catalogs that changed.') }),
  presets: z.object({}).describe('A preset changed.'),
  changes: z
    .object({})
    .describe('The history has new entries, of a caller or of another program. At most two events a second.'),
  drafts: z.object({
    ids: z
      .array(z.string())
      .nullable()
      .describe('The agents with a new, changed or removed draft. Null: any may have one.'),
    writer: z
      .string()
      .nullable()
      .describe('The writer id of the page with the draft. Null if a draft was removed.'),
  }),
  wallet: z.object({
    balance: z.int().nullable().describe('The sats that the wallet can spend. Null: it may have changed.'),
    pending: z
      .int()
      .nullable()
      .describe('The sats in pending operations, which the balance leaves out. Null: they may have changed.'),
    operation: z
      .object({ id, kind: operationKind, state: operationState })
      .nullable()
      .describe(
        'The operation that started, ended or changed. Null if there is none. Only the operator gets it.',
      ),
    restore: z
      .object({
        keysetsDone: z.int().describe('The number of keysets searched so far.'),
        keysets: z.int().describe('The number of keysets to search.'),
        counters: z.int().describe('The number of counters searched so far.'),
        sats: z.int().describe('The sats found so far, credited or not.'),
      })
      .nullable()
      .optional()
      .describe(
        'The progress of a restore or rescan. Null once it has ended. Absent if the event isn’t about one. Only the operator gets it.',
      ),
  }),
  charge: z.object({
    id,
    state: chargeState,
    agent: agentId.nullable().describe('The agent that does the work. Null if the seller named none.'),
  }),
  services: z.object({
    agent: agentId.describe('The agent whose service changed or sold something.'),
    state: z
      .enum(SERVICE_STATES)
      .describe('The service’s state now. It becomes `closed` when customers can’t buy anymore.'),
  }),
  price: z.object({
    btc: z
      .object({
        btc_price_usd: z.number().describe('The price of one bitcoin, in US dollars.'),
        source: priceSource,
        source_host: z.string().optional().describe('The host of the source, as in GET /api/pricing/btc.'),
        updated_at: z.iso
          .datetime()
          .describe('The time of the BTC price: its source’s own, or when dot-mi fetched it.'),
      })
      .nullable()
      .describe('The new BTC price. Null if it didn’t change.'),
    models: z.boolean().describe('True if the models file changed.'),
  }),
  budgets: z.object({
    ids: z
      .array(z.string())
      .nullable()
      .describe('The agents whose limits changed or were reached. Null: this may apply to any agent.'),
    reached: z
      .object({
        agent: agentId,
        unit: z.enum(BUDGET_UNITS).describe('The unit of the limit.'),
        period: z.enum(BUDGET_PERIODS).describe('The period of the limit, in local time.'),
        percent: z.number().describe('The percentage reached: 80 or 100.'),
      })
      .nullable()
      .describe(
        'The limit of which 80% or 100% is used. Each percentage is reported once per period. Null if there is none.',
      ),
  }),
  status: z.object({
    ids: z.array(z.string()).describe('The agents whose state changed. At most two events a second.'),
  }),
  keys: z.object({}).describe('An agent key was created, revoked or used.'),
  requests: z
    .object({})
    .describe('The request log has new requests since somebody read it. At most three events a second.'),
  settings: z
    .object({})
    .describe(
      'The settings, trust in the root, or the signed-in browsers changed. A restart ends the stream without this event.',
    ),
} as const;

type EventName = keyof typeof eventSchemas;

export type EventData<N extends EventName> = z.infer<(typeof eventSchemas)[N]>;

/** An event inside the server. */
export type ServerEvent = { [N in EventName]: { name: N; data: EventData<N> } }[EventName];

/** The scopes that open the event stream. */
const FOLLOWERS = ['prices', 'receive', 'read-agents', 'spend'] as const;

const OF_AGENTS: EventAccess = { access: 'api', keys: ['read-agents'] };

const OF_OPERATOR: EventAccess = { access: 'operator', keys: 'none' };

/** Who receives each event: whoever can use the routes that it is about. */
const EVENT_ACCESS: Readonly<Record<EventName, EventAccess>> = {
  hello: { access: 'api', keys: FOLLOWERS },
  agents: OF_AGENTS,
  entries: OF_AGENTS,
  sessions: OF_AGENTS,
  links: OF_AGENTS,
  catalog: OF_AGENTS,
  presets: OF_AGENTS,
  budgets: OF_AGENTS,
  status: OF_AGENTS,
  price: { access: 'api', keys: ['prices'] },
  // SECURITY: without a key, nobody learns when money moves. A key learns only that the balance changed.
  wallet: { access: 'operator', keys: ['receive', 'spend'] },
  charge: OF_OPERATOR,
  services: OF_OPERATOR,
  changes: OF_OPERATOR,
  drafts: OF_OPERATOR,
  keys: OF_OPERATOR,
  requests: OF_OPERATOR,
  settings: OF_OPERATOR,
};

/** Streams changes to the disk, the wallet and the BTC price, as server-sent events. */
export const streamEvents = defineEndpoint({
  id: 'events.stream',
  method: 'GET',
  path: '/api/events',
  summary: 'Follow changes as server-sent events',
  description:
    'Begins with the event `hello`. When dot-mi starts to watch the root, it sends events with null, because something may have changed before that. Null instead of a list means that any item may have changed. ' +
    'Sends a comment every 15 s to keep the connection alive. Events only name what changed, so fetch the new state with the other routes. ' +
    'Without a token, the stream has no events about money, keys, services, drafts, the history, settings or requests. ' +
    'With an agent key, it has only the events that the key can read. It ends when the key is revoked or expires.',
  task: 'Follow changes (server-sent events)',
  access: 'api',
  keys: FOLLOWERS,
  success: { status: 200, body: z.string() },
  events: eventSchemas,
  eventAccess: EVENT_ACCESS,
  errors: ['too_many_streams'],
});
