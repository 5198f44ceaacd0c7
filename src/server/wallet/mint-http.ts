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

/** Codes with which a connection ends before any byte of a request left. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

const codesOf = (error: unknown): string[] => {
  const codes: string[] = [];
  for (let each: unknown = error; each instanceof Error && codes.length < 5; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') codes.push(each.code);
  }
  return codes;
};

const failure = (error: unknown): MintError => {
  const codes = codesOf(error);
  if (codes.some((code) => NEVER_SENT.has(code))) {
    return new MintError('unreachable', `The mint cannot be reached (${codes.at(-1)}).`);
  }
  return new MintError('unanswered', 'The mint did not answer.');
};

const readBounded = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
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

const retryAfterMs = (response: Response): number | undefined => {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
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

const refusal = (response: Response, text: string): MintError => {
  const { status } = response;
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

/**
 * Sends one request to the mint and returns the text of its answer. Never sends it twice.
 *
 * Throws {@link MintError}; how it went wrong tells whether the mint may have acted.
 */
export const requestMint = async (
  { url, method, body, headers }: MintRequest,
  timeoutMs: number = MINT_TIMEOUT_MS,
): Promise<string> => {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      // SECURITY: ecash goes to the mint that was named and to nobody it points at.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new MintError('invalid', 'The mint redirects elsewhere; set MINT_URL to where it is now.');
    }
    const text = await readBounded(response);
    if (!response.ok) throw refusal(response, text);
    return text;
  } catch (error) {
    throw error instanceof MintError ? error : failure(error);
  }
};
