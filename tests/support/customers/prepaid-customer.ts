import { setTimeout as sleep } from 'node:timers/promises';
import { fieldOf, type Loss, LostAnswerError, type Reply, send } from './post.ts';

/** A customer who pays in advance, and sends the key with each request. */
export interface PrepaidCustomer {
  /** Buys once. `unknown`: the answer was lost, so the work may have been charged. */
  buy(body: unknown, lose?: Loss): Promise<'bought' | 'refused' | 'unknown'>;
  /** What its requests cost, in sat, as the shop says. Waits until none runs. */
  spent(): Promise<number>;
  /** The token with what is left. Undefined if nothing is. */
  refund(): Promise<string | undefined>;
}

/** What a shop needs, and how a customer gets tokens of this face value. */
interface PrepaidCustomerOptions {
  url: string;
  deposit: number;
  issue(sats: number): Promise<string>;
}

const WAIT_MS = 100;

/** Opens a customer of a shop that may die at any time. Each token is sent until the shop says what became of it. */
export const openPrepaidCustomer = ({ url, deposit, issue }: PrepaidCustomerOptions): PrepaidCustomer => {
  let key: string | undefined;

  /** Asks until there is an answer that isn't about the moment. */
  const persist = async (ask: () => Promise<Reply>): Promise<Reply> => {
    for (;;) {
      const reply = await ask().catch((error: unknown) => {
        if (error instanceof LostAnswerError) return undefined;
        throw error;
      });
      if (reply && reply.status < 500 && reply.status !== 425) return reply;
      await sleep(WAIT_MS);
    }
  };
  const balance = (route: string, options: Parameters<typeof send>[1]) =>
    persist(() => send(new URL(`v1/balance/${route}`, url).href, { key, ...options }));

  const payIn = async () => {
    const body = { cashu_token: await issue(deposit) };
    const reply = await balance(key === undefined ? 'create' : 'topup', { body });
    if (reply.status !== 200) throw new Error(`a deposit was refused: ${reply.status} ${reply.text}`);
    key ??= String(fieldOf(reply.body, 'api_key'));
  };

  return {
    async buy(body, lose) {
      for (;;) {
        if (key === undefined) await payIn();
        const reply = await send(url, { body, key, lose }).catch((error: unknown) => {
          if (error instanceof LostAnswerError) return undefined;
          throw error;
        });
        if (!reply) return 'unknown';
        if (reply.status === 200) return 'bought';
        if (reply.status !== 402) return 'refused';
        await payIn();
      }
    },
    async spent() {
      for (;;) {
        const { body } = await balance('info', { method: 'GET' });
        if (fieldOf(body, 'reserved') === 0) return Number(fieldOf(body, 'total_spent')) / 1_000;
        await sleep(WAIT_MS);
      }
    },
    async refund() {
      const reply = await balance('refund', {});
      if (reply.status === 404) return undefined;
      const token = fieldOf(reply.body, 'token');
      if (reply.status !== 200 || typeof token !== 'string')
        throw new Error(`a refund was refused: ${reply.status} ${reply.text}`);
      return token;
    },
  };
};
