import { z } from 'zod';
import { BUDGET_PERIODS, BUDGET_UNITS } from './budgets.ts';
import { chargeState } from './charge-state.ts';
import { defineEndpoint } from './endpoint.ts';
import { agentId, id, priceSource } from './fields.ts';
import type { KeyScope } from './key-scopes.ts';
import { EDITABLE_FILES, LINK_KINDS } from './names.ts';
import { operationKind, operationState } from './wallet.ts';

/**
 * The data of each event. `null` means that anything may have changed, so read it all again. It is sent when too much
 * changed at once to list.
 */
export const eventSchemas = {
  hello: z
    .object({})
    .describe('The first event of each stream. Anything may have changed before it, so read what you need.'),
  agents: z.object({
    ids: z.array(z.string()).nullable().describe('Agents that were added, removed, or had a file change.'),
    files: z.array(z.enum(EDITABLE_FILES)).nullable().describe('The editable files that changed.'),
  }),
  entries: z.object({
    ids: z
      .array(z.string())
      .nullable()
      .describe('Agents with a change in their directory, other than in the editable files and links.'),
  }),
  sessions: z.object({
    ids: z
      .array(z.string())
      .nullable()
      .describe('Agents with a session that grew, was added or was removed. At most two events a second.'),
  }),
  links: z.object({
    ids: z
      .array(z.string())
      .nullable()
      .describe('Agents whose links changed. Empty if only the links of a team changed.'),
  }),
  catalog: z.object({ kinds: z.array(z.enum(LINK_KINDS)).describe('The catalogs that changed.') }),
  presets: z.object({}).describe('A preset changed.'),
  drafts: z.object({
    ids: z.array(z.string()).nullable().describe('Agents with a draft that was kept or removed.'),
    writer: z.string().nullable().describe('The page that wrote the draft. Null if a draft was removed.'),
  }),
  wallet: z.object({
    balance: z.int().nullable().describe('The sats that can be spent.'),
    pending: z
      .int()
      .nullable()
      .describe('Sats of operations that are still running. They are not part of the balance.'),
    operation: z
      .object({ id, kind: operationKind, state: operationState })
      .nullable()
      .describe('The operation that started, ended or changed.'),
    restore: z
      .object({
        keysetsDone: z.int().describe('How many keysets have been searched.'),
        keysets: z.int().describe('How many keysets there are to search.'),
        counters: z.int().describe('How many counters have been searched.'),
        sats: z.int().describe('Found so far, whether credited or not.'),
      })
      .nullable()
      .optional()
      .describe('The progress of a restore or rescan. Null when it has ended.'),
  }),
  charge: z.object({
    id,
    state: chargeState,
    agent: agentId.nullable().describe('The agent that does the work.'),
  }),
  services: z.object({ agent: agentId.describe('The agent whose service changed, or sold something.') }),
  price: z.object({
    btc: z
      .object({
        btc_price_usd: z.number().describe('The price of one bitcoin in US dollars.'),
        source: priceSource,
        source_host: z.string().optional().describe('As in GET /api/pricing/btc.'),
        updated_at: z.iso
          .datetime()
          .describe('When dot-mi fetched the BTC price. It is not the time of the request.'),
      })
      .nullable()
      .describe('The new BTC price.'),
    models: z.boolean().describe('True when the models file changed, no matter which program wrote it.'),
  }),
  budgets: z.object({
    ids: z.array(z.string()).nullable().describe('Agents whose limits changed, or were reached.'),
    reached: z
      .object({
        agent: agentId,
        unit: z.enum(BUDGET_UNITS).describe('The unit of the amounts.'),
        period: z.enum(BUDGET_PERIODS).describe('A day or a month, in local time.'),
        percent: z.number().describe('80 or 100.'),
      })
      .nullable()
      .describe('A limit that was reached, reported once in each period.'),
  }),
  status: z.object({
    ids: z
      .array(z.string())
      .describe('Agents that began to run, to wait or to be done. At most two events a second.'),
  }),
  keys: z.object({}).describe('An agent key was created, revoked or used.'),
  requests: z
    .object({})
    .describe('Requests were added to the log after somebody read it. At most three events a second.'),
  settings: z
    .object({})
    .describe(
      'The settings, the trust in the root or the list of signed-in browsers changed. A restart sends none: its streams end.',
    ),
} as const;

/** The names of the events. */
type EventName = keyof typeof eventSchemas;

/** The data of an event. */
export type EventData<N extends EventName> = z.infer<(typeof eventSchemas)[N]>;

/** An event inside the server, one member per name. */
export type ServerEvent = { [N in EventName]: { name: N; data: EventData<N> } }[EventName];

/** The scopes that let a key read something that changes. */
const FOLLOWERS = ['prices', 'receive', 'read-agents', 'spend'] as const;

const READ_AGENTS = ['read-agents'] as const;

/** Which keys get an event: those that may read what it is about. What only the operator may read is absent. */
const EVENT_KEYS: Readonly<Partial<Record<EventName, readonly KeyScope[]>>> = {
  hello: FOLLOWERS,
  agents: READ_AGENTS,
  entries: READ_AGENTS,
  sessions: READ_AGENTS,
  links: READ_AGENTS,
  catalog: READ_AGENTS,
  presets: READ_AGENTS,
  budgets: READ_AGENTS,
  status: READ_AGENTS,
  wallet: ['receive', 'spend'],
  price: ['prices'],
};

/** A server-sent event stream of changes on disk by any program, in the wallet and of the BTC price. */
export const streamEvents = defineEndpoint({
  id: 'events.stream',
  method: 'GET',
  path: '/api/events',
  summary: 'Follow changes as server-sent events',
  description:
    'Begins with the event `hello`. Once the root is watched, events with null follow, because something may have changed before. In the others, null instead of a list means that anything of the kind may have changed. ' +
    'Sends a comment every 15 s to keep the connection alive. An event only names what changed, so fetch the new state with the other routes. ' +
    'With an agent key, only the events about what the key may read are sent. The stream ends when the key is revoked or expires.',
  task: 'Follow changes (server-sent events)',
  access: 'api',
  keys: FOLLOWERS,
  success: { status: 200, body: z.string() },
  events: eventSchemas,
  eventKeys: EVENT_KEYS,
  errors: ['too_many_streams'],
});
