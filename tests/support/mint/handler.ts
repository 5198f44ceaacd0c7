import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FalseAnswerDeps, falsifyAnswer } from './false-answers.ts';
import type { Fault, Faults, RepeatAnswer } from './faults.ts';
import { MintError } from './protocol.ts';
import type { RateLimiter } from './rate-limit.ts';

/** A request that the mint received. */
export interface SeenRequest {
  method: string;
  path: string;
  body?: unknown;
}

/** An answer before it is sent; `text` is JSON. */
export interface MintAnswer {
  status: number;
  text: string;
}

/** Answers a request and commits its changes at once. */
export type Route = (body: unknown, text: string) => MintAnswer;

/** How long the inputs of a request that is carried out late stay pending if the mint dies before. */
const LATE_PENDING_SECONDS = 60;
/** The most requests to remember. */
const MAX_SEEN = 1000;
const HTML = '<!doctype html><html><body><h1>502 Bad Gateway</h1><hr>nginx/1.24.0</body></html>';

const FALSE_KINDS: readonly Fault['kind'][] = [
  'amounts',
  'dleq',
  'no-dleq',
  'signatures',
  'partial',
  'lag',
  'signs-all',
  'says-spent',
];

const send = (
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
) => {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
};

const sendHalf = (response: ServerResponse, { status, text }: MintAnswer) => {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.write(text.slice(0, Math.floor(text.length / 2)), () => response.destroy());
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const asError = ({ status, body }: MintError): MintAnswer => ({ status, text: JSON.stringify(body) });

/** Runs a route. A refusal of the mint is an answer too. */
export const runRoute = (route: Route, text: string): { answer: MintAnswer; body: unknown } => {
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch {
    return { answer: asError(new MintError(0, 'the body is not JSON', 422)), body };
  }
  try {
    return { answer: route(body, text), body };
  } catch (error) {
    if (error instanceof MintError) return { answer: asError(error), body };
    return { answer: { status: 500, text: JSON.stringify({ detail: String(error) }) }, body };
  }
};

/** Fails as a fault says. Returns false when the request continues. */
const fail = (response: ServerResponse, fault: Fault, answer: MintAnswer | undefined): boolean => {
  switch (fault.kind) {
    case 'drop':
    case 'pending':
      response.destroy();
      return true;
    case 'upgrade':
      response.socket?.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      );
      return true;
    case 'cut':
      if (answer) sendHalf(response, answer);
      return answer !== undefined;
    case 'error':
      send(response, 400, JSON.stringify({ code: fault.code, detail: fault.detail }));
      return true;
    case 'status': {
      const { status = 500, html = false, retryAfterSeconds } = fault;
      const { body = { detail: `test mint: status ${status}` } } = fault;
      const retry = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
      if (html) send(response, status, HTML, { 'Content-Type': 'text/html', ...retry });
      else send(response, status, JSON.stringify(body), retry);
      return true;
    }
    case 'garbage': {
      const { body = 'text' } = fault;
      send(response, 200, { text: 'all is well', empty: '', shape: '{"all":["is","well"]}' }[body]);
      return true;
    }
    default:
      return false;
  }
};

const sendRepeated = (
  response: ServerResponse,
  given: RepeatAnswer | undefined,
  second: () => MintAnswer,
) => {
  if (given && 'html' in given) return send(response, given.status, HTML, { 'Content-Type': 'text/html' });
  if (given) return send(response, 400, JSON.stringify(given));
  const { status, text } = second();
  send(response, status, text);
};

/** Answers the mint's own endpoints, with the faults that are set. */
export const createHandler = (
  findRoute: (method: string, path: string) => Route | undefined,
  faults: Faults,
  rateLimiter: RateLimiter,
  falseAnswers: FalseAnswerDeps,
  pending: {
    mark: (body: unknown, seconds: number | undefined) => void;
    clear: (body: unknown) => void;
  },
) => {
  const seen: SeenRequest[] = [];
  const counts = new Map<string, number>();
  const remember = (request: SeenRequest) => {
    counts.set(request.path, (counts.get(request.path) ?? 0) + 1);
    seen.push(request);
    if (seen.length > MAX_SEEN) seen.shift();
    return request;
  };

  const handle = async (method: string, path: string, request: IncomingMessage, response: ServerResponse) => {
    const noted = remember({ method, path });
    const tooMany = rateLimiter.refuse(path);
    const fault = tooMany ? undefined : faults.take(path);
    if (fault?.kind === 'refuse') {
      response.destroy();
      return;
    }
    const text = await readBody(request);
    if (text !== '' && text.length < 100_000) noted.body = parseOrText(text);
    if (tooMany) {
      send(response, 429, '{"detail":"Rate limit exceeded."}', tooMany);
      return;
    }
    const act = async (answer: MintAnswer | undefined) => {
      if (!fault) return false;
      if (fault.delayMs !== undefined) await sleep(fault.delayMs);
      if (fault.kind === 'hang') await faults.hang(path);
      return fail(response, fault, answer);
    };
    // These make sense only for an answer.
    const isLate = fault?.when === 'after' || fault?.kind === 'cut';
    if (fault?.kind === 'pending') pending.mark(parseOrText(text), fault.seconds);
    if (!isLate && (await act(undefined))) return;
    const route = findRoute(method, path);
    if (!route) {
      send(response, 404, '{"detail":"Not Found"}');
      return;
    }
    if (fault?.kind === 'repeat') {
      const { answer, lateMs, isUnseen = false } = fault;
      if (lateMs === undefined) runRoute(route, text);
      else if (!isUnseen) pending.mark(parseOrText(text), LATE_PENDING_SECONDS);
      sendRepeated(response, answer, () => runRoute(route, text).answer);
      if (lateMs === undefined) return;
      await sleep(lateMs);
      if (!isUnseen) pending.clear(parseOrText(text));
      runRoute(route, text);
      return;
    }
    const { answer, body } = runRoute(route, text);
    if (isLate && (await act(answer))) return;
    const isFalse = fault && FALSE_KINDS.includes(fault.kind) && answer.status === 200;
    send(
      response,
      answer.status,
      isFalse ? falsifyAnswer(falseAnswers, fault, answer.text, body) : answer.text,
    );
  };

  return {
    handle,
    /** The last thousand requests. Bodies over 100 kB are left out. */
    requests: (path?: string): SeenRequest[] => seen.filter((one) => path === undefined || one.path === path),
    /** The number of requests since the start, for one path or all. */
    requestCount: (path?: string): number => {
      if (path !== undefined) return counts.get(path) ?? 0;
      return [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
  };
};

const parseOrText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
