import { randomBytes, randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../shared/api/errors.ts';
import { AGENT_KEY_PREFIX } from '../../shared/api/key-scopes.ts';
import {
  type AgentKey,
  type AgentKeys,
  type CreatedAgentKey,
  MAX_AGENT_KEYS,
  type NewAgentKey,
} from '../../shared/api/keys.ts';
import { AppError } from '../platform/app-error.ts';
import type { CallingKey } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import { hashOfKey, type KeyStore, type StoredKey } from './key-store.ts';

/** Dependencies of {@link createKeysService}. */
export interface KeysDeps {
  store: KeyStore;
  rootId: string;
  /** Throws `agent_not_found` and `root_unavailable`. */
  requireAgent(id: string): Promise<unknown>;
  /** Returns the sats that count toward today's limits, by key id. Throws `wallet_locked` and `wallet_damaged`. */
  spentToday(): Promise<ReadonlyMap<string, number>>;
  clock: Pick<Clock, 'now'>;
}

/** Creates, lists, checks and revokes agent keys. */
export interface KeysService {
  /** Finds a key by its text. Throws `unauthorized` if it's unknown, revoked or expired. */
  find(text: string): CallingKey;
  /** Finds a key by its text, if it works. */
  lookUp(text: string): CallingKey | undefined;
  list(): Promise<AgentKeys>;
  /** Throws `agent_key_not_found`. */
  describe(id: string): Promise<AgentKey>;
  /**
   * Throws `agent_not_found`, `too_many_keys` and `root_unavailable`, and `invalid_request` for an expiry in the
   * past. `id` is that of a revoked key, whose charges and prepaid balances then belong to the new key.
   */
  create(key: NewAgentKey, id?: string): Promise<CreatedAgentKey>;
  /** Throws `agent_key_not_found`. */
  remove(id: string): Promise<void>;
  /** Revokes the keys of an agent in the managed root. Returns how many it had. */
  removeOfAgent(agent: string): Promise<number>;
  /** Returns whether an agent in the managed root has a working key. */
  hasKey(agent: string): boolean;
}

/** Errors that keep the wallet from adding up the keys' spending. */
const UNKNOWN_SPENDING: ReadonlySet<ErrorCode> = new Set(['wallet_locked', 'wallet_damaged']);

const notFound = () =>
  new AppError('agent_key_not_found', 'This key was already revoked.').withHint({
    route: 'GET /api/keys',
    text: 'GET /api/keys lists the keys.',
  });

const REFUSED = 'Ask the operator to create a new key in Settings.';

export const createKeysService = (deps: KeysDeps): KeysService => {
  const { store, rootId, requireAgent, clock } = deps;

  const isExpired = ({ expiresAt }: StoredKey) => expiresAt !== null && Date.parse(expiresAt) <= clock.now();

  const rightsOf = (key: StoredKey): CallingKey => ({
    id: key.id,
    label: key.label,
    agent: key.agent ?? undefined,
    scopes: key.scopes,
    satsPerDay: key.satsPerDay ?? undefined,
    markUsed: () => store.markUsed(key.id),
    // SECURITY: the successor of a revoked key has the same id.
    isValid: () => store.hasHash(key.hash) && !isExpired(key),
  });

  const belongsTo = (key: StoredKey, agent: string) => key.agent?.id === agent && key.agent.rootId === rootId;

  const spentToday = async () => {
    try {
      return await deps.spentToday();
    } catch (error) {
      if (error instanceof AppError && UNKNOWN_SPENDING.has(error.code)) return undefined;
      throw error;
    }
  };

  const shown = (key: StoredKey, spent: ReadonlyMap<string, number> | undefined): AgentKey => {
    const { id, label, agent, scopes, satsPerDay, createdAt, expiresAt, lastUsedAt } = key;
    return {
      id,
      label,
      agent: agent?.id ?? null,
      otherRoot: agent !== null && agent.rootId !== rootId,
      scopes,
      spend: satsPerDay === null ? null : { satsPerDay, spentToday: spent ? (spent.get(id) ?? 0) : null },
      createdAt,
      expiresAt,
      expired: isExpired(key),
      lastUsedAt,
    };
  };

  return {
    find(text) {
      const key = store.find(text);
      if (!key) throw new AppError('unauthorized', `This agent key is unknown or was revoked. ${REFUSED}`);
      if (isExpired(key)) throw new AppError('unauthorized', `This agent key expired. ${REFUSED}`);
      return rightsOf(key);
    },

    lookUp(text) {
      const key = store.find(text);
      return key && !isExpired(key) ? rightsOf(key) : undefined;
    },

    async list() {
      const spent = await spentToday();
      return {
        keys: store
          .list()
          .map((key) => shown(key, spent))
          .reverse(),
      };
    },

    async describe(id) {
      const key = store.list().find((each) => each.id === id);
      if (!key) throw notFound();
      return shown(key, await spentToday());
    },

    async create({ label, agent, scopes, spend, expiresAt }, id = randomUUID()) {
      if (expiresAt !== undefined && Date.parse(expiresAt) <= clock.now()) {
        const message = 'expiresAt must be in the future.';
        throw new AppError('invalid_request', message, { issues: [{ path: 'body.expiresAt', message }] });
      }
      if (agent !== undefined) await requireAgent(agent);
      if (store.list().length >= MAX_AGENT_KEYS)
        throw new AppError(
          'too_many_keys',
          `dot-mi keeps at most ${MAX_AGENT_KEYS} agent keys. Revoke one that you don’t need.`,
        );
      const key = `${AGENT_KEY_PREFIX}${randomBytes(32).toString('hex')}`;
      const stored: StoredKey = {
        id,
        label,
        hash: hashOfKey(key),
        agent: agent === undefined ? null : { id: agent, rootId },
        scopes,
        satsPerDay: spend?.satsPerDay ?? null,
        createdAt: new Date(clock.now()).toISOString(),
        expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
        lastUsedAt: null,
      };
      await store.add(stored);
      return { ...shown(stored, await spentToday()), key };
    },

    async remove(id) {
      if ((await store.remove((key) => key.id === id)) > 0) return;
      throw notFound();
    },

    removeOfAgent: (agent) => store.remove((key) => belongsTo(key, agent)),

    hasKey: (agent) => store.list().some((key) => belongsTo(key, agent) && !isExpired(key)),
  };
};
