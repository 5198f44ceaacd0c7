import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { EDITABLE_FILES, LINK_KINDS } from './names.ts';
import { OPERATION_KINDS, OPERATION_STATES } from './wallet.ts';

/**
 * What each event says. `null` means "could be anything": read it all again (sent when a stream begins and when
 * too much changed at once to tell it apart).
 */
export const eventSchemas = {
  agents: z.object({
    ids: z.array(z.string()).nullable().describe('Agents that came, went or had a file changed.'),
    files: z.array(z.enum(EDITABLE_FILES)).nullable().describe('The editable files concerned.'),
  }),
  links: z.object({
    ids: z.array(z.string()).nullable().describe('Agents whose extensions or skills changed.'),
  }),
  catalog: z.object({ kinds: z.array(z.enum(LINK_KINDS)).describe('The catalogs that changed.') }),
  wallet: z.object({
    balance: z.int().nullable(),
    pending: z.int().nullable(),
    operation: z
      .object({ id: z.string(), kind: z.enum(OPERATION_KINDS), state: z.enum(OPERATION_STATES) })
      .nullable()
      .describe('The operation that began, ended or learned something.'),
    restore: z
      .object({
        keysetsDone: z.int(),
        keysets: z.int(),
        counters: z.int().describe('How many counters were searched.'),
        sats: z.int().describe('What was found so far.'),
      })
      .nullable()
      .optional()
      .describe('The progress of a restore or rescan; null when it ended.'),
  }),
  price: z.object({
    btc: z
      .object({ btc_price_usd: z.number(), source: z.string(), updated_at: z.iso.datetime() })
      .nullable()
      .describe('The new BTC price.'),
    models: z.boolean().describe('Whether the models file changed, whoever wrote it.'),
  }),
} as const;

/** The names of the events. */
export type EventName = keyof typeof eventSchemas;

/** The data of an event. */
export type EventData<N extends EventName> = z.infer<(typeof eventSchemas)[N]>;

/** An event as it crosses the server, one member a name. */
export type ServerEvent = { [N in EventName]: { name: N; data: EventData<N> } }[EventName];

/** A server-sent event stream of what changes on disk, whoever changes it, in the wallet and of the BTC price. */
export const streamEvents = defineEndpoint({
  id: 'events.stream',
  method: 'GET',
  path: '/api/events',
  summary: 'Follow changes as server-sent events',
  description:
    'A comment comes every 15 s. Each event says what changed, small; read it again with the other routes.',
  access: 'api',
  success: { status: 200, body: z.string() },
  events: eventSchemas,
  errors: ['too_many_streams'],
});
