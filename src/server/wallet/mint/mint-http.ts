import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { MintError } from './mint.ts';
import { LIMITED_MESSAGE, refusalOf } from './mint-refusal.ts';

/** A request to the mint's API: an absolute URL, and a body for POST. */
interface MintRequest {
  url: string;
  method: string;
  /** A JSON document. */
  body?: string;
  headers?: Readonly<Record<string, string>>;
}

/** The time limit for the mint's complete response. It may still be processing a request after that. */
const MINT_TIMEOUT_MS = 10_000;

/**
 * The size limit for a response. SECURITY: an endless one must not fill memory. A restore of 300 outputs takes about
 * 200 kB.
 */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/**
 * How long an idle connection is kept. Servers close it after 5 seconds or more, and a request at that moment may be
 * lost.
 */
const IDLE_CONNECTION_MS = 4_000;

/** The paths of requests that change nothing at the mint, so that they can be repeated. */
const READING_PATH = /\/v1\/(?:checkstate|restore)$/;

const agents = {
  'http:': new HttpAgent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
  'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
};

/** Returns why a connection failed, in one word for the operator. */
const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code !== 'ABORT_ERR' ? code : 'the connection timed out';
};

const readBounded = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new MintError('invalid', 'The mint sent an endless response.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

interface Sending {
  response: Promise<IncomingMessage>;
  /** Returns whether the mint may have received part of the request. */
  mayHaveLeft(): boolean;
  /** Returns whether the request used an older connection, on which no byte of a response arrived. */
  diedOnReusedConnection(): boolean;
}

const send = (
  { url, method, body, headers }: MintRequest,
  signal: AbortSignal,
  isFresh: boolean,
): Sending => {
  requestsSent += 1;
  const { protocol } = new URL(url);
  const isTls = protocol === 'https:';
  const sent = (isTls ? httpsRequest : httpRequest)(url, {
    method,
    signal,
    // Without an agent, Node opens a connection only for this request.
    agent: !isFresh && (isTls ? agents['https:'] : agents['http:']),
    headers: {
      accept: 'application/json',
      // Some mints' firewalls refuse requests without this header.
      'user-agent': 'dot-mi',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  let isConnected = false;
  let reused: { socket: Socket; bytesBefore: number } | undefined;
  sent.once('socket', (socket) => {
    isConnected = sent.reusedSocket;
    if (isConnected) {
      reused = { socket, bytesBefore: socket.bytesRead };
      return;
    }
    // Node writes nothing before this: not to a host that refuses, and not before the certificate is verified.
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      isConnected = true;
    });
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    // Keep listening after the response starts, because an unhandled error would end the process.
    sent.on('error', reject);
    // HTTP 101 isn't a valid response, because this connection uses no other protocol.
    sent.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the mint changed the protocol'));
    });
    sent.once('close', () => reject(new Error('the connection closed without a response')));
  });
  sent.end(body);
  return {
    response,
    mayHaveLeft: () => isConnected,
    diedOnReusedConnection: () => reused !== undefined && reused.socket.bytesRead === reused.bytesBefore,
  };
};

/** A response before it's parsed. */
interface Response {
  response: IncomingMessage;
  text: string;
}

const readResponse = async (response: IncomingMessage): Promise<Response> => {
  const status = response.statusCode ?? 0;
  // SECURITY: send ecash only to the mint that the operator named.
  if (status >= 300 && status < 400) {
    response.destroy();
    throw new MintError('invalid', 'The mint redirects to another address. Set MINT_URL to that address.');
  }
  return { response, text: await readBounded(response) };
};

const attempt = async (request: MintRequest, signal: AbortSignal, isFresh: boolean): Promise<Response> => {
  const sending = send(request, signal, isFresh);
  try {
    return await readResponse(await sending.response);
  } catch (error) {
    if (error instanceof MintError) throw error;
    const isReading = request.method === 'GET' || READING_PATH.test(request.url);
    if (isReading && !signal.aborted && sending.diedOnReusedConnection())
      return attempt(request, signal, true);
    if (sending.mayHaveLeft()) throw new MintError('unanswered', 'The mint didn’t respond.');
    throw new MintError('unreachable', `The wallet can’t reach the mint (${reasonOf(error)}).`);
  }
};

let restMs = 0;

/** Makes this thread refuse requests to its mint, which wants us to wait this long. 0 ends that. */
export const restRequests = (ms: number): void => {
  restMs = ms;
};

let requestsSent = 0;

/** Returns how many requests this thread sent to mints since the last call. */
export const takeRequestCount = (): number => {
  const count = requestsSent;
  requestsSent = 0;
  return count;
};

/** How far past its timeout a request can end. */
const GRACE_MS = 500;

/** Ends a request at its deadline, even if its connection reports nothing. */
const withDeadline = async <T>(task: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new MintError('unanswered', 'The mint didn’t respond.')), ms);
  });
  try {
    return await Promise.race([task, late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Sends one request to the mint and returns the response's text. Never sends a swap twice. Repeats a read-only
 * request once if it failed on a connection that the mint had already closed.
 *
 * `fetch` would use twice the processor time, and it hides whether a failed request was sent.
 *
 * Throws {@link MintError}. Its kind says whether the mint may have acted.
 */
export const requestMint = async (
  request: MintRequest,
  timeoutMs: number = MINT_TIMEOUT_MS,
): Promise<string> => {
  if (restMs > 0) throw new MintError('limited', LIMITED_MESSAGE, { retryAfterMs: restMs, isUnsent: true });
  const { response, text } = await withDeadline(
    attempt(request, AbortSignal.timeout(timeoutMs), false),
    // A request that ends at its own timeout reports the failure more precisely, so allow it a bit more time.
    timeoutMs + GRACE_MS,
  );
  const status = response.statusCode ?? 0;
  if (status < 200 || status >= 300) {
    throw refusalOf({ status, text, retryAfter: response.headers['retry-after'], url: request.url });
  }
  return text;
};
