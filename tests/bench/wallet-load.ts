import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { WalletWork } from './bare-cashu.ts';

/** Posts JSON and reads the answer. A request may take as long as it wants. */
export const post = (
  agent: Agent,
  url: string,
  body: unknown,
  operatorToken?: string,
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = {
      'content-type': 'application/json',
      'content-length': bytes.length,
      ...(operatorToken === undefined ? {} : { authorization: `Bearer ${operatorToken}` }),
    };
    const sent = request(url, { agent, method: 'POST', headers }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk) => {
        text += chunk;
      });
      res.once('end', () => resolve({ status: res.statusCode ?? 0, text }));
      res.once('error', reject);
    });
    sent.once('error', reject);
    sent.end(bytes);
  });

/** How an answer says that all is well with the token. */
const GOOD = { receive: '"success":true', validate: '"valid":true' };

/** What a work costs in `sell`, as bare-cashu.ts has it. */
const SOLD_FOR = 60;

/** Asks for a charge, pays it with a token, and settles it with change. */
const sell = async (agent: Agent, url: string, token: string): Promise<void> => {
  const must = async (path: string, body: object, status = 200) => {
    const answer = await post(agent, `${url}/api/charges${path}`, body);
    if (answer.status !== status) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return JSON.parse(answer.text);
  };
  const requestHash = createHash('sha256').update(token).digest('hex');
  const { id } = await must('', { amount: 90, requestHash }, 201);
  await must(`/${id}/pay`, { token });
  const { change } = await must(`/${id}/settle`, { amount: SOLD_FOR });
  if (change.amount !== 100 - SOLD_FOR) throw new Error(`the change is ${change.amount} sat`);
};

/**
 * Hands tokens to a server, so many at a time, as agents do; returns the milliseconds it took. Throws when one was not taken:
 * such a measurement says nothing.
 */
export const postTokens = async (
  url: string,
  work: WalletWork,
  tokens: readonly string[],
  concurrency: number,
): Promise<number> => {
  const agent = new Agent({ keepAlive: true });
  const queue = tokens.values();
  const workOff = async () => {
    for (const token of queue) {
      if (work === 'sell') {
        await sell(agent, url, token);
        continue;
      }
      const { status, text } = await post(agent, `${url}/api/wallet/${work}`, { token });
      if (status !== 200 || !text.includes(GOOD[work]))
        throw new Error(`${work} answered ${status}: ${text}`);
    }
  };
  const begunMs = performance.now();
  try {
    await Promise.all(Array.from({ length: concurrency }, workOff));
    return performance.now() - begunMs;
  } finally {
    agent.destroy();
  }
};
