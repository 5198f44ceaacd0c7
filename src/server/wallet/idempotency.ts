import { createHash } from 'node:crypto';
import { ERRORS } from '../../shared/api/errors.ts';
import { AppError } from '../platform/app-error.ts';
import type { ResponseKey } from './store/idempotency-keys-table.ts';
import type { OnOperationWritten, Operation } from './store/operation.ts';
import type { WalletStore } from './store/wallet-store.ts';

interface KeyedRequest {
  route: string;
  key: string | undefined;
  body: unknown;
}

/** Gives the same response to the same request. */
export interface Idempotency {
  /**
   * Runs `task` unless the Idempotency-Key has a response. `responseOf` returns an operation's response, even if
   * it's pending.
   *
   * Throws `idempotency_key_reused` for another body, and `idempotency_key_in_use` while the first request runs.
   */
  run<T>(
    request: KeyedRequest,
    responseOf: (operation: Operation) => T,
    task: (bind: OnOperationWritten) => Promise<T>,
  ): Promise<T | (T & Replay)>;
  /**
   * Returns the operation that a request with this Idempotency-Key started, if any. Throws `idempotency_key_in_use`
   * while that request runs, because it may still start one.
   */
  operationOf(request: Omit<KeyedRequest, 'body'>): Operation | undefined;
}

/** Marks a response repeated for an Idempotency-Key. `createdAt` is when the first request started its operation. */
interface Replay {
  replayed: true;
  createdAt: string;
}

// SECURITY: a body may contain a token, so only its hash is stored.
const hashOf = (body: unknown): string => createHash('sha256').update(JSON.stringify(body)).digest('base64');

const inUse = () =>
  new AppError(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still running. Try again in a moment.',
  );

const reused = () =>
  new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used with a different body. Use a new one for each new request. Programs without an agent key share their Idempotency-Keys, so include your program’s name in yours.',
  );

/**
 * Creates an {@link Idempotency}. The transaction that writes an operation also links its Idempotency-Key, so a crash
 * can't separate them. The operation then determines the response. A request that started no operation is decided
 * anew. SECURITY: storing its refusal would let strangers fill the disk, and sats didn't move.
 */
export const createIdempotency = (store: WalletStore): Idempotency => {
  /** Hashes of running requests' bodies, by route and Idempotency-Key. */
  const running = new Map<string, string>();

  const nameOf = (route: string, key: string): string => JSON.stringify([route, key]);

  return {
    operationOf({ route, key }) {
      if (key === undefined) return undefined;
      if (running.has(nameOf(route, key))) throw inUse();
      return store.answers.get({ route, key })?.operation;
    },

    async run({ route, key, body }, responseOf, task) {
      if (key === undefined) return task(() => undefined);
      const responseKey: ResponseKey = { route, key, bodyHash: hashOf(body) };
      const name = nameOf(route, key);
      const runningHash = running.get(name);
      if (runningHash !== undefined) {
        if (runningHash !== responseKey.bodyHash) throw reused();
        throw inUse();
      }

      const known = store.answers.get(responseKey);
      if (known && known.bodyHash !== responseKey.bodyHash) throw reused();
      const { operation } = known ?? {};
      const failed = operation?.state === 'failed' && operation.failure;
      if (operation && !(failed && ERRORS[failed.code].retryable)) {
        const createdAt = new Date(operation.createdAt).toISOString();
        return { ...responseOf(operation), replayed: true, createdAt };
      }

      running.set(name, responseKey.bodyHash);
      try {
        return await task(({ number }) => store.answers.set(responseKey, number));
      } finally {
        running.delete(name);
      }
    },
  };
};
