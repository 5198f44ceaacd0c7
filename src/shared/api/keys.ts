import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { createdAt, id, keyId, okBody } from './fields.ts';
import { KEY_SCOPES } from './key-scopes.ts';
import { agentIdSchema } from './names.ts';

const sats = z.int().nonnegative();

const agentKey = z
  .object({
    id,
    label: z.string().describe('The name that the operator gave it.'),
    agent: z.string().nullable().describe('The agent it belongs to, or null.'),
    otherRoot: z
      .boolean()
      .describe('True if its agent is in another root. It then changes no files in this one.'),
    scopes: z.array(z.enum(KEY_SCOPES)).describe('The scopes: what the key may do.'),
    spend: z
      .object({
        satsPerDay: sats.describe('The most sats in a day. Null removes the limit.'),
        spentToday: sats
          .nullable()
          .describe(
            'Sats of the tokens sent with it today, with fees, in the time zone of the server. Sends with other mints count too. Null while the wallet is locked, or while the wallet of another mint can’t be read.',
          ),
      })
      .nullable()
      .describe('Null without the scope `spend`.'),
    createdAt,
    expiresAt: z.iso.datetime().nullable().describe('Null if it never expires.'),
    expired: z.boolean().describe('True once the key no longer works.'),
    lastUsedAt: z.iso.datetime().nullable().describe('When it was last used. Null: never.'),
  })
  .meta({ id: 'AgentKey' });

/** An agent key, without the key itself. */
export type AgentKey = z.infer<typeof agentKey>;

/** The most agent keys. */
export const MAX_AGENT_KEYS = 500;

/** The longest label of an agent key, in characters. */
export const MAX_KEY_LABEL_LENGTH = 100;

/** Lists the agent keys. */
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

/** The response of {@link listKeys}. */
export type AgentKeys = z.infer<typeof listKeys.success.body>;

/** What the key of a request is and may do. */
export const getOwnKey = defineEndpoint({
  id: 'keys.own',
  method: 'GET',
  path: '/api/keys/own',
  summary: 'Get the agent key that this request sends',
  description: "Returns the key's agent, its scopes, and how much it can still send today.",
  task: 'See what your key may do',
  access: 'api',
  keys: KEY_SCOPES,
  success: {
    status: 200,
    body: z.object({ key: agentKey.nullable().describe('Null if the request sends no agent key.') }),
  },
  errors: [],
});

/** Creates an agent key. */
export const createKey = defineEndpoint({
  id: 'keys.create',
  method: 'POST',
  path: '/api/keys',
  summary: 'Create an agent key',
  description:
    'Only this response contains the key: dot-mi stores its SHA-256 hash. Programs send it as a bearer token. ' +
    'A key with `agent` stands for that agent: it receives tokens for no other one, and changes the files of no other one.',
  access: 'operator',
  keys: 'none',
  body: z
    .strictObject({
      label: z
        .string()
        .trim()
        .min(1)
        .max(MAX_KEY_LABEL_LENGTH)
        .describe('A name for it, such as the program that uses it.'),
      agent: agentIdSchema.optional(),
      scopes: z
        .array(z.enum(KEY_SCOPES))
        .min(1)
        .refine((scopes) => new Set(scopes).size === scopes.length, 'scopes must not repeat a scope.')
        .describe('The scopes: what the key may do.'),
      spend: z
        .strictObject({
          satsPerDay: z.int().positive().describe('The most sats in a day. Null removes the limit.'),
        })
        .optional()
        .describe('The limit of the scope `spend`, which requires one.'),
      expiresAt: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('When it stops working. Default: never.'),
    })
    .refine(({ scopes, spend }) => scopes.includes('spend') === (spend !== undefined), {
      path: ['spend'],
      message: 'spend must be set if scopes contains "spend", and only then.',
    })
    .refine(({ scopes, agent }) => !scopes.includes('write-agent') || agent !== undefined, {
      path: ['agent'],
      message: 'agent must be set if scopes contains "write-agent".',
    }),
  success: {
    status: 201,
    body: agentKey.extend({ key: z.string().describe('`dmk_` and 256 random bits in hex.') }),
  },
  errors: ['invalid_agent_id', 'agent_not_found', 'too_many_keys', 'root_unavailable'],
});

/** The body of {@link createKey}. */
export type NewAgentKey = z.output<typeof createKey.body>;

/** The response of {@link createKey}. */
export type CreatedAgentKey = z.infer<typeof createKey.success.body>;

/** Revokes an agent key. */
export const deleteKey = defineEndpoint({
  id: 'keys.delete',
  method: 'DELETE',
  path: '/api/keys/:keyId',
  summary: 'Revoke an agent key',
  description: 'The key stops working before the response. If the disk is full, it keeps working.',
  access: 'operator',
  keys: 'none',
  params: z.object({ keyId }),
  success: { status: 200, body: okBody },
  errors: ['agent_key_not_found', 'disk_full'],
});
