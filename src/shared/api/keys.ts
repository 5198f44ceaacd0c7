import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { createdAt, id, keyId, okBody } from './fields.ts';
import { KEY_SCOPES } from './key-scopes.ts';
import { agentIdSchema } from './names.ts';

const sats = z.int().nonnegative();

const agentKey = z
  .object({
    id,
    label: z.string().describe('The name that the operator gave the key.'),
    agent: z.string().nullable().describe('The agent that the key belongs to. Null if it belongs to none.'),
    otherRoot: z
      .boolean()
      .describe('True if the key’s agent is in another root. The key can’t change files in this root.'),
    scopes: z.array(z.enum(KEY_SCOPES)).describe('The scopes of the key.'),
    spend: z
      .object({
        satsPerDay: sats.describe('The most sats that the key can send in a day.'),
        spentToday: sats
          .nullable()
          .describe(
            'The sats sent with the key today, including fees and sends at other mints. The day is in the server’s time zone. Null while dot-mi can’t read all wallets.',
          ),
      })
      .nullable()
      .describe('The limit of the scope `spend`, and what counts toward it. Null without that scope.'),
    createdAt,
    expiresAt: z.iso.datetime().nullable().describe('When the key expires. Null if it never expires.'),
    expired: z.boolean().describe('True if the key has expired.'),
    lastUsedAt: z.iso.datetime().nullable().describe('When the key was last used. Null if never.'),
  })
  .meta({ id: 'AgentKey' });

/** An agent key, without the key itself. */
export type AgentKey = z.infer<typeof agentKey>;

/** The maximum number of agent keys. */
export const MAX_AGENT_KEYS = 500;

/** The longest label of an agent key, in characters. */
export const MAX_KEY_LABEL_LENGTH = 100;

/** Lists the agent keys, without the keys themselves. */
export const listKeys = defineEndpoint({
  id: 'keys.list',
  method: 'GET',
  path: '/api/keys',
  summary: 'List the agent keys, newest first',
  access: 'operator',
  keys: 'none',
  success: {
    status: 200,
    body: z.object({ keys: z.array(agentKey).describe('The keys, newest first.') }),
  },
  errors: [],
});

export type AgentKeys = z.infer<typeof listKeys.success.body>;

/** Returns the agent key that sent the request, with its scopes. */
export const getOwnKey = defineEndpoint({
  id: 'keys.own',
  method: 'GET',
  path: '/api/keys/own',
  summary: 'Describe the agent key that this request sends',
  description: 'Returns the key’s agent, its scopes, its limit and what it has sent today.',
  task: 'See what your key can do',
  access: 'api',
  keys: KEY_SCOPES,
  success: {
    status: 200,
    body: z.object({ key: agentKey.nullable().describe('The key. Null if the request sends no agent key.') }),
  },
  errors: [],
});

/** Creates an agent key. Only this response contains the key itself. */
export const createKey = defineEndpoint({
  id: 'keys.create',
  method: 'POST',
  path: '/api/keys',
  summary: 'Create an agent key',
  description:
    'Only this response contains the key, because dot-mi stores only its SHA-256 hash. Programs send it as a bearer token. ' +
    'A key with `agent` can receive tokens and change files only for that agent.',
  access: 'operator',
  keys: 'none',
  body: z
    .strictObject({
      label: z
        .string()
        .trim()
        .min(1)
        .max(MAX_KEY_LABEL_LENGTH)
        .describe('A name for the key, such as the program that uses it.'),
      agent: agentIdSchema.optional(),
      scopes: z
        .array(z.enum(KEY_SCOPES))
        .min(1)
        .max(KEY_SCOPES.length)
        .refine(
          (scopes) => new Set(scopes).size === scopes.length,
          'scopes can’t contain the same scope twice.',
        )
        .describe('The scopes of the key.'),
      spend: z
        .strictObject({
          satsPerDay: z.int().positive().describe('The most sats that the key can send in a day.'),
        })
        .optional()
        .describe('The limit of the scope `spend`. Required with that scope.'),
      expiresAt: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('When the key expires. Default: never.'),
    })
    .refine(({ scopes, spend }) => scopes.includes('spend') === (spend !== undefined), {
      path: ['spend'],
      message: 'Send spend if scopes contains "spend", and only then.',
    })
    .refine(({ scopes, agent }) => !scopes.includes('write-agent') || agent !== undefined, {
      path: ['agent'],
      message: 'Send agent if scopes contains "write-agent".',
    }),
  success: {
    status: 201,
    body: agentKey.extend({ key: z.string().describe('The key: `dmk_` and 256 random bits in hex.') }),
  },
  errors: ['invalid_agent_id', 'agent_not_found', 'too_many_keys', 'root_unavailable'],
});

export type NewAgentKey = z.output<typeof createKey.body>;

export type CreatedAgentKey = z.infer<typeof createKey.success.body>;

/** Revokes an agent key. */
export const deleteKey = defineEndpoint({
  id: 'keys.delete',
  method: 'DELETE',
  path: '/api/keys/:keyId',
  summary: 'Revoke an agent key',
  description:
    'The key stops working before the response. If the disk is full, the request fails and the key still works.',
  access: 'operator',
  keys: 'none',
  params: z.object({ keyId }),
  success: { status: 200, body: okBody },
  errors: ['agent_key_not_found', 'disk_full'],
});
