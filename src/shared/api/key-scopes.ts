/**
 * The scopes of agent keys. Each endpoint names the scopes that open it.
 *
 * - `prices`: read and refresh prices.
 * - `receive`: check and receive tokens, and follow their operations.
 * - `charge`: charge customers for its own agent's work, and receive and refund their tokens.
 * - `read-agents`: read the lists, files, links and costs of all agents. Sessions and the values of settings stay
 *   hidden.
 * - `write-agent`: change the editable files and the links of its own agent.
 * - `spend`: send sats, up to a limit per day.
 */
export const KEY_SCOPES = ['prices', 'receive', 'charge', 'read-agents', 'write-agent', 'spend'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/** The prefix of agent keys: `dmk_` and 64 hex digits. */
export const AGENT_KEY_PREFIX = 'dmk_';
