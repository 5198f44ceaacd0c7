import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../support/patience.ts';

/** A server's address and what opens its operator routes. Both change with each restart. */
export interface Address {
  url: string;
  operatorToken: string;
}

/** An answer of the API, read whole. */
export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect any answer
  body: any;
}

/** A request of the API. */
export interface Question {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** Idempotency-Key. */
  key?: string | undefined;
}

const BREATH_MS = 5;

/** Asks a server. Undefined if no answer arrives, such as when the server is killed midway. */
export const ask = async (
  { url, operatorToken }: Address,
  { method, path, body, key }: Question,
  patienceMs = PATIENCE_MS,
): Promise<Reply | undefined> => {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${operatorToken}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    await sleep(BREATH_MS);
    return undefined;
  }
};

/** Asks a server. Throws if it doesn't answer with success. */
export const must = async (address: Address, question: Question): Promise<Reply['body']> => {
  const reply = await ask(address, question);
  if (reply && reply.status < 300) return reply.body;
  throw new Error(`${question.method} ${question.path}: ${JSON.stringify(reply ?? 'no answer')}`);
};

/** One entry of the history, as far as the audit needs it. */
export interface Entry {
  id: string;
  kind: string;
  state: string;
  amount: number;
  fee: number;
  memo?: string;
  token?: string;
  spent?: boolean;
  reclaimed?: boolean;
  sendId?: string;
  error?: { error: string; code: string };
}

/** The whole history, newest first. */
export const readHistory = async (address: Address): Promise<Entry[]> => {
  const entries: Entry[] = [];
  let cursor = '';
  do {
    const page = await must(address, { method: 'GET', path: `/api/wallet/history?limit=200${cursor}` });
    entries.push(...page.entries);
    cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
  } while (cursor !== '');
  return entries;
};
