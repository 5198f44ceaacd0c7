import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { MintError } from './mint.ts';

/** A request of the mint's API: an absolute address, and a body for POST. */
export interface MintRequest {
  url: string;
  method: string;
  /** JSON text. */
  body?: string;
  headers?: Readonly<Record<string, string>>;
}

/** The mint has this long for a whole answer; it may be at work on the request all the same. */
export const MINT_TIMEOUT_MS = 10_000;

/** SECURITY: a mint that answers without end must not fill the memory. A restore of 300 outputs has about 200 kB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

const MAX_WORDS = 300;

/**
 * Connections are kept this long for the next request: shorter than servers keep theirs, since a request on a connection that the other
 * end is just closing is one whose fate nobody knows.
 */
const IDLE_CONNECTION_MS = 4_000;

const agents = {
  'http:': new HttpAgent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
  'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
};

/** Why there is no connection, for a person. */
const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code !== 'ABORT_ERR' ? code : 'no connection in time';
};

const readBounded = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new MintError('invalid', 'The mint sent an answer without end.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** What a mint says of itself is shown to people: no control characters, and not without end. */
export const shortWords = (text: string): string =>
  text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS);

const retryAfterMs = ({ headers }: IncomingMessage): number | undefined => {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : undefined;
};

const parseRefusal = (text: string): { code?: number; words: string } => {
  try {
    const { code, detail, error } = JSON.parse(text);
    return {
      ...(typeof code === 'number' ? { code } : {}),
      words: shortWords([detail, error].find((words) => typeof words === 'string') ?? ''),
    };
  } catch {
    return { words: '' };
  }
};

const refusal = (response: IncomingMessage, status: number, text: string): MintError => {
  // 408, 425 and 429 mean "not now"; a 5xx may come from a proxy while the mint goes on.
  if (status >= 500 || [408, 425, 429].includes(status)) {
    const wait = retryAfterMs(response);
    return new MintError('unanswered', `The mint answered HTTP ${status}.`, {
      status,
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    });
  }
  const { code, words } = parseRefusal(text);
  return new MintError('refused', words || `HTTP ${status}`, {
    status,
    ...(code === undefined ? {} : { mintCode: code }),
  });
};

/** A request that was begun. */
interface Sending {
  response: Promise<IncomingMessage>;
  /** Whether a byte of it may have reached the mint. */
  mayHaveLeft(): boolean;
}

const send = ({ url, method, body, headers }: MintRequest, signal: AbortSignal): Sending => {
  const { protocol } = new URL(url);
  const isTls = protocol === 'https:';
  const sent = (isTls ? httpsRequest : httpRequest)(url, {
    method,
    signal,
    agent: isTls ? agents['https:'] : agents['http:'],
    headers: {
      accept: 'application/json',
      // What stands before some mints refuses requests that do not say who they are.
      'user-agent': 'dot-mi',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  let isConnected = false;
  sent.once('socket', (socket) => {
    isConnected = sent.reusedSocket;
    if (isConnected) return;
    // Nothing is written before: not to a host that refuses, nor to one whose certificate is wrong.
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      isConnected = true;
    });
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    // Also after the answer began, or it would end the process.
    sent.on('error', reject);
  });
  sent.end(body);
  return { response, mayHaveLeft: () => isConnected };
};

/**
 * Sends one request to the mint and returns the text of its answer. Never sends it twice.
 *
 * Not by `fetch`: that takes twice the processor time, and does not tell whether a request that failed had left.
 *
 * Throws {@link MintError}; how it went wrong tells whether the mint may have acted.
 */
export const requestMint = async (
  request: MintRequest,
  timeoutMs: number = MINT_TIMEOUT_MS,
): Promise<string> => {
  const { response: answer, mayHaveLeft } = send(request, AbortSignal.timeout(timeoutMs));
  try {
    const response = await answer;
    const status = response.statusCode ?? 0;
    // SECURITY: ecash goes to the mint that was named and to nobody it points at.
    if (status >= 300 && status < 400) {
      response.destroy();
      throw new MintError('invalid', 'The mint redirects elsewhere; set MINT_URL to where it is now.');
    }
    const text = await readBounded(response);
    if (status < 200 || status >= 300) throw refusal(response, status, text);
    return text;
  } catch (error) {
    if (error instanceof MintError) throw error;
    if (mayHaveLeft()) throw new MintError('unanswered', 'The mint did not answer.');
    throw new MintError('unreachable', `The mint cannot be reached (${reasonOf(error)}).`);
  }
};
