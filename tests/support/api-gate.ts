import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * What happens to a call.
 * - `refuse`: it is dropped before dot-mi sees it. `lose`: dot-mi does it, and the answer is dropped.
 * - `before`, `after`: it waits for this before dot-mi sees it, or its answer does.
 * - `answer`: this is the answer, and dot-mi doesn't see it.
 */
export type GateRule =
  | 'refuse'
  | 'lose'
  | { before: Promise<unknown> }
  | { after: Promise<unknown> }
  | { answer: { status: number; headers?: Record<string, string>; body: string } };

/** A way to dot-mi that a test can break. */
export interface ApiGate {
  url: string;
  /** The next calls, such as `POST /api/charges/…/settle`, that match. */
  next(call: RegExp, rule: GateRule, times?: number): void;
  /** The calls so far, also those that dot-mi didn't see. */
  calls(call?: RegExp): string[];
  /** Refuses all connections until `up`. */
  down(): Promise<void>;
  up(): Promise<void>;
}

const read = async (stream: IncomingMessage): Promise<Buffer> => Buffer.concat(await stream.toArray());

/** The proof that dot-mi would give for this address if it listened there. */
const proofOf = (key: string, query: URLSearchParams): string =>
  createHmac('sha256', createHash('sha256').update(key).digest('hex'))
    .update(`dot-mi server\n${query.get('nonce')}\n${query.get('origin')}`)
    .digest('hex');

/** Opens a way to the API at a URL, until the test ends. It proves itself to services that have the agent key. */
export const openApiGate = async (target: string, key: string): Promise<ApiGate> => {
  let rules: { call: RegExp; rule: GateRule; left: number }[] = [];
  const calls: string[] = [];

  const forward = (incoming: IncomingMessage, body: Buffer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { method, headers, url } = incoming;
      const sent = request(new URL(`${url}`, target), { method, headers, agent: false });
      sent.on('response', resolve).on('error', reject).end(body);
    });

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(`${incoming.url}`, target);
    if (pathname === '/api/health')
      return void response.end(JSON.stringify({ proofs: [proofOf(key, searchParams)] }));
    const body = await read(incoming);
    const call = `${incoming.method} ${incoming.url}`;
    calls.push(call);
    const found = rules.find((one) => one.left > 0 && one.call.test(call));
    if (found) found.left -= 1;
    const rule = found?.rule;
    if (rule === 'refuse') return void response.destroy();
    if (typeof rule === 'object' && 'answer' in rule) {
      response.writeHead(rule.answer.status, rule.answer.headers);
      return void response.end(rule.answer.body);
    }
    if (typeof rule === 'object' && 'before' in rule) await rule.before;
    const answer = await forward(incoming, body);
    const answered = await read(answer);
    if (rule === 'lose') return void response.destroy();
    if (typeof rule === 'object' && 'after' in rule) await rule.after;
    response.writeHead(answer.statusCode ?? 0, answer.headers);
    response.end(answered);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  const up = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const down = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await up(0);
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => (server.listening ? down() : undefined));

  return {
    url: `http://127.0.0.1:${port}`,
    next: (call, rule, times = 1) => {
      rules = [...rules, { call, rule, left: times }];
    },
    calls: (call = /./) => calls.filter((one) => call.test(one)),
    down,
    up: () => up(port),
  };
};
