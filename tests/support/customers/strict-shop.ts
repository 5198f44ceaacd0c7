import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getEncodedToken, PaymentRequest, type Proof, Wallet } from '@cashu/cashu-ts';
import { onTestFinished } from 'vitest';
import { sumOf } from '../mint/client.ts';
import type { TestMint } from '../mint/test-mint.ts';

/** What the shop does with the next paid request. Default: it works, charges `cost`, and gives change in `X-Cashu`. */
export interface Plan {
  /** In sats. */
  cost?: number;
  /**
   * - `fail`: redeems, and its upstream fails. - `refuse`: doesn't redeem. - `spent`: says that the token was spent.
   * - `ignore`: hangs up without redeeming.
   */
  does?: 'work' | 'fail' | 'refuse' | 'spent' | 'ignore';
  /** Where the token of a change, refund or refusal is. Default `both`. `route`: only at the refund route. */
  gives?: 'both' | 'header' | 'body' | 'other' | 'nothing' | 'route';
  /** Keeps the answer back until then. */
  until?: Promise<unknown>;
}

/** A shop of the test. */
export interface StrictShop {
  url: string;
  /** For paid requests, in their order. */
  plan(...plans: Plan[]): void;
  /** The `X-Cashu` of the next 402. */
  offer(text: string | undefined): void;
  /** How many of the next refund requests get 425. */
  early(times: number): void;
  /** Takes all refunds back that nobody fetched. */
  sweep(): void;
  /** The prompts that it worked on, in their order. */
  worked(): string[];
  /** How often each status was the answer at a refund route. */
  refundStatuses(): number[];
  /** What a strict shop saw that no customer may do. */
  violations(): string[];
  /** In sats. */
  till(): number;
}

interface Sale {
  state: 'held' | 'done' | 'swept';
  refund?: { token: string; amount: number };
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
};

const stream = (text: string): string => {
  const chunk = (delta: object, more: object = {}) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta }], ...more })}\n\n`;
  const [first = '', ...rest] = text.match(/.{1,4}/g) ?? [];
  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  const parts = [chunk({ role: 'assistant', content: first }), ...rest.map((content) => chunk({ content }))];
  return `${parts.join('')}${chunk({}, { usage })}data: [DONE]\n\n`;
};

/** Opens a shop that sells at a flat price, with a cashu-ts wallet as its till. It closes when the test ends. */
export const openStrictShop = async (
  mint: TestMint,
  { price, encoding = 'creqA' }: { price: number; encoding?: 'creqA' | 'creqB' },
): Promise<StrictShop> => {
  const wallet = new Wallet(mint.url, { unit: 'sat' });
  await wallet.loadMint();
  const sales = new Map<string, Sale>();
  const plans: Plan[] = [];
  const worked: string[] = [];
  const violations: string[] = [];
  const refundStatuses: number[] = [];
  let till: Proof[] = [];
  let early = 0;
  const request = new PaymentRequest(undefined, undefined, price, 'sat', [mint.url]);
  const usual = encoding === 'creqA' ? request.toEncodedCreqA() : request.toEncodedCreqB();
  let offers: (string | undefined)[] = [];

  let lastWork: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const done = lastWork.then(work);
    lastWork = done.catch(() => undefined);
    return done;
  };
  const redeem = (token: string): Promise<number> =>
    alone(async () => {
      const received = await wallet.receive(token);
      till.push(...received);
      return sumOf(received);
    });
  /** The amount less what its swap costs, as the real shop gives it. */
  const giveBack = (amount: number) =>
    alone(async () => {
      const fee = wallet.getFeesForProofs(wallet.selectProofsToSend(till, amount).send).toNumber();
      const { keep, send } = await wallet.send(amount - fee, till);
      till = keep;
      return { token: getEncodedToken({ mint: mint.url, unit: 'sat', proofs: send }), amount: sumOf(send) };
    });

  const answer = (response: ServerResponse, status: number, body: unknown, token?: string, extra = {}) => {
    const isText = typeof body === 'string';
    response.writeHead(status, {
      'Content-Type': isText ? 'text/event-stream' : 'application/json',
      ...(token === undefined ? {} : { 'X-Cashu': token }),
      ...extra,
    });
    response.end(isText ? body : JSON.stringify(body));
  };

  const answerRefund = (token: string, response: ServerResponse) => {
    const sale = sales.get(token);
    const say = (status: number, detail: string, extra = {}) => {
      refundStatuses.push(status);
      answer(response, status, { detail }, undefined, extra);
    };
    if (early > 0 || sale?.state === 'held') {
      early -= 1;
      return say(425, 'Refund is pending; retry shortly.', { 'Retry-After': '2' });
    }
    if (sale?.state === 'swept') return say(410, 'Refund has been swept');
    if (!sale?.refund) return say(404, 'Refund not found');
    refundStatuses.push(200);
    const { token: refund, amount } = sale.refund;
    answer(response, 200, { token: refund, sats: String(amount) }, refund);
  };

  const answerPaid = async (token: string, body: string, response: ServerResponse) => {
    const { does = 'work', gives = 'both', cost = price, until } = plans.shift() ?? {};
    const inHeader = (given: string) => (gives === 'both' || gives === 'header' ? given : undefined);
    if (sales.has(token)) violations.push('a token paid twice');
    const { model, messages, prompt, stream: isStream } = JSON.parse(body);
    const asked: string = prompt ?? messages.at(-1).content;
    if (does === 'ignore') return void response.destroy();
    if (does === 'spent') {
      return answer(response, 400, {
        error: { type: 'token_already_spent', code: 'cashu_token_already_spent' },
      });
    }
    const face = sumOf(wallet.decodeToken(token).proofs);
    const net = face - wallet.getFeesForProofs(wallet.decodeToken(token).proofs).toNumber();
    if (net < price)
      return answer(response, 402, { error: { code: 'amount_too_low', required: price } }, usual);
    if (does === 'refuse') {
      return answer(response, 503, { error: { type: 'mint_unreachable' } }, inHeader(token));
    }
    const sale: Sale = { state: 'held' };
    sales.set(token, sale);
    const paid = await redeem(token);
    const isDone = does === 'work';
    const rest = isDone ? paid - cost : paid;
    if (rest > 0) sale.refund = await giveBack(rest);
    if (isDone) worked.push(asked);
    await until;
    sale.state = 'done';
    const given = sale.refund?.token ?? '';
    if (!isDone) {
      const refund = gives === 'header' || gives === 'nothing' ? {} : { refund_token: given };
      const other = gives === 'other' ? { refund_token: `${given}A` } : refund;
      const error = {
        type: 'upstream_error',
        code: 502,
        message: 'Error forwarding request to upstream',
        ...other,
      };
      return answer(response, 502, { error }, gives === 'other' ? given : inHeader(given));
    }
    const header = given === '' ? undefined : inHeader(given);
    const text = `worked on ${asked}`;
    if (isStream) return answer(response, 200, stream(text), header);
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    const change = gives === 'route' ? { change: { url: '/v1/balance/refund' } } : {};
    const choices = [{ index: 0, message: { role: 'assistant', content: text } }];
    answer(response, 200, model ? { model, choices, usage } : { text, usage, ...change }, header);
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = incoming;
    const token = headers['x-cashu'];
    const body = await readBody(incoming);
    if (method === 'GET' && token !== undefined) violations.push('a GET with a token');
    if (method === 'GET' && url === '/') return answer(response, 200, { price: { perRequest: price } });
    if (method === 'GET' && url === '/v1/models') {
      const sats_pricing = { prompt: 0, completion: 0, max_cost: price - 0.5 };
      return answer(response, 200, { data: [{ id: 'other' }, { id: 'translator', sats_pricing }] });
    }
    if (method !== 'POST') throw new Error(`nothing at ${method} ${url}`);
    if (headers['content-type'] !== 'application/json') violations.push('a POST that is not JSON');
    if (url === '/v1/balance/refund' || url === '/v1/wallet/refund') {
      if (body !== '') violations.push('a refund request with a body');
      if (typeof token !== 'string') throw new Error('a refund request without a token');
      return answerRefund(token, response);
    }
    if (typeof token === 'string') return answerPaid(token, body, response);
    const offer = offers.length > 0 ? offers.shift() : usual;
    answer(response, 402, { error: { code: 'payment_required' } }, offer);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      violations.push(error instanceof Error ? error.message : 'an error');
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: (...more) => void plans.push(...more),
    offer: (text) => {
      offers = [text];
    },
    early: (times) => {
      early = times;
    },
    sweep: () => {
      for (const sale of sales.values()) sale.state = 'swept';
    },
    worked: () => [...worked],
    refundStatuses: () => [...refundStatuses],
    violations: () => [...violations],
    till: () => sumOf(till),
  };
};
