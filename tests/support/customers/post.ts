import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/**
 * Where a customer loses an answer.
 * - `connection`: it hangs up once its request is sent, so that the seller works for nobody.
 * - `answer`: it hangs up when the answer begins, so that the seller believes it was read.
 */
export type Loss = 'connection' | 'answer';

/** A request of a customer. */
export interface CustomerRequest {
  /** Default POST. */
  method?: 'GET' | 'POST';
  /** Sent as JSON. */
  body?: unknown;
  /** The token to pay with or to ask a refund for, in the header `X-Cashu`. */
  token?: string;
  /** The key of a prepaid balance, sent as OpenAI's clients send theirs. */
  key?: string | undefined;
  lose?: Loss | undefined;
}

/** An answer that arrived whole. */
export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Undefined when it is not JSON. */
  body: unknown;
}

/** No answer arrived: nobody knows what the seller did. */
export class LostAnswerError extends Error {}

const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)$/;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const readText = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
};

/** The header `X-Cashu` of an answer. */
export const cashuHeader = ({ headers }: Reply): string | undefined => {
  const value = headers['x-cashu'];
  return typeof value === 'string' ? value : undefined;
};

/** `Retry-After` of an answer, in ms. Throws where a 425 has none, since clients would ask at once. */
export const retryAfterMs = ({ headers }: Reply): number => {
  const seconds = Number(headers['retry-after']);
  if (!(seconds > 0)) throw new Error('the 425 has no Retry-After in seconds');
  return seconds * 1000;
};

/** Sends a request to loopback, on a connection of its own. Throws {@link LostAnswerError} without an answer. */
export const send = (url: string, options: CustomerRequest = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { method = 'POST', body, token, key, lose } = options;
    if (!LOOPBACK.test(new URL(url).hostname)) throw new Error('a test customer only buys on loopback');
    const sent = request(url, {
      method,
      // An idle connection that the seller closes would look like a lost answer.
      agent: false,
      headers: {
        ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}),
        ...(token === undefined ? {} : { 'X-Cashu': token }),
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      },
    });
    const giveUp = (cause?: unknown) => reject(new LostAnswerError('the answer was lost', { cause }));
    sent.on('error', giveUp);
    sent.on('response', (response) => {
      if (lose) {
        giveUp();
        response.destroy();
        return;
      }
      const { statusCode: status = 0, headers } = response;
      readText(response).then((text) => resolve({ status, headers, text, body: parse(text) }), giveUp);
    });
    sent.end(body === undefined ? '' : JSON.stringify(body), () => {
      if (lose !== 'connection') return;
      giveUp();
      sent.destroy();
    });
  });

/** An object's property, or undefined where there isn't an object. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Waits between two tries, in ms. Tests replace it, so that none depends on how long something takes. */
export type Wait = (ms: number) => Promise<unknown>;
