import { MintError, type MintLimit, NO_SUCH_ENDPOINT, RETRY_AFTER_UNNAMED_MS } from './mint.ts';

/** A response whose HTTP status isn't 2xx or 3xx, as received. */
interface RefusedResponse {
  status: number;
  text: string;
  /** The `Retry-After` header. */
  retryAfter: string | undefined;
  /** The request's URL. */
  url: string;
}

const MAX_MESSAGE_LENGTH = 300;

export const LIMITED_MESSAGE = 'The mint is limiting requests. Try again later.';

const MAX_RETRY_AFTER_MS = 3_600_000;

/** The code for "too many inputs" and "too many outputs" (NUT `error_codes.md`). */
const TOO_MANY_INPUTS = 11014;
const TOO_MANY_OUTPUTS = 11015;

/**
 * Matches the phrases with which mints state a limit. The number must follow directly, because a message may also
 * contain the number we sent.
 */
const LIMIT_IN_WORDS = /\b(?:at most|more than|max(?:imum)?|limit)(?: is| of|:|=)? ?(\d{1,6})\b/i;

/** Shortens a mint's message to one line without control characters, because the operator sees it. */
export const shortWords = (text: string): string =>
  text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_MESSAGE_LENGTH);

/** Parses `Retry-After` (RFC 9110, 10.2.3): seconds or a date. */
const parseRetryAfter = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : dateInMs(header);
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined;
};

/** Parses an HTTP date, which always has letters. `Date.parse` would also read "-1" as a date. */
const dateInMs = (header: string): number =>
  /[a-z]{3}/i.test(header) ? Date.parse(header) - Date.now() : Number.NaN;

const limitInWords = (words: string): number | undefined => {
  const most = Number(LIMIT_IN_WORDS.exec(words)?.[1] ?? Number.NaN);
  return most >= 1 ? most : undefined;
};

interface ParsedRefusal {
  code?: number;
  words: string;
  limit?: MintLimit;
  isUnknownFormat?: boolean;
}

/** A FastAPI validation error (HTTP 422). SECURITY: its `input` repeats the proofs' secrets. */
interface FieldError {
  type?: unknown;
  loc?: unknown;
  msg?: unknown;
  ctx?: { max_length?: unknown } | null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const parseFieldErrors = (errors: readonly FieldError[]): Omit<ParsedRefusal, 'code'> => {
  const known = errors.filter(isRecord) as FieldError[];
  const words = shortWords(known.map(({ msg }) => msg).find((msg) => typeof msg === 'string') ?? '');
  const tooLong = known.find(({ type }) => type === 'too_long');
  if (!tooLong || !Array.isArray(tooLong.loc)) return { words };
  const isOutputs = tooLong.loc.includes('outputs');
  if (!isOutputs && !tooLong.loc.includes('inputs') && !tooLong.loc.includes('Ys')) return { words };
  const named = tooLong.ctx?.max_length;
  const most =
    typeof named === 'number' && Number.isSafeInteger(named) && named > 0
      ? named
      : limitInWords(String(tooLong.msg));
  return { words, limit: { what: isOutputs ? 'outputs' : 'inputs', most } };
};

const limitOfCode = (code: unknown, words: string): MintLimit | undefined => {
  if (code === TOO_MANY_INPUTS) return { what: 'inputs', most: limitInWords(words) };
  if (code === TOO_MANY_OUTPUTS) return { what: 'outputs', most: limitInWords(words) };
  return undefined;
};

const parseRefusal = (text: string): ParsedRefusal => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { words: '', isUnknownFormat: true };
  }
  if (!isRecord(body)) return { words: '', isUnknownFormat: true };
  const { code, detail, error } = body;
  if (Array.isArray(detail)) return parseFieldErrors(detail);
  const words = shortWords([detail, error].find((text) => typeof text === 'string') ?? '');
  const limit = limitOfCode(code, words);
  return {
    ...(typeof code === 'number' ? { code } : {}),
    words,
    ...(limit ? { limit } : {}),
  };
};

/** Returns the {@link MintError} for a failed request's response. Its message never contains what we sent. */
export const refusalOf = ({ status, text, retryAfter, url }: RefusedResponse): MintError => {
  const retryAfterMs = parseRetryAfter(retryAfter);
  if (status === 429) {
    return new MintError('limited', LIMITED_MESSAGE, {
      status,
      retryAfterMs: retryAfterMs ?? RETRY_AFTER_UNNAMED_MS,
    });
  }
  const { code, words, limit: named, isUnknownFormat } = parseRefusal(text);
  const what = url.endsWith('/v1/restore') ? 'outputs' : 'inputs';
  const limit = named ?? (status === 413 ? { what, most: undefined } : undefined);
  const isPage = isUnknownFormat && !limit && !NO_SUCH_ENDPOINT.includes(status);
  // 408 and 425 mean "not now". A proxy can send a 5xx, or a page with any status, while the mint is still working.
  if (status >= 500 || status === 408 || status === 425 || isPage) {
    return new MintError('unanswered', `The mint returned HTTP ${status}.`, {
      status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  return new MintError('refused', words || `HTTP ${status}`, {
    status,
    ...(code === undefined ? {} : { mintCode: code }),
    ...(limit ? { limit } : {}),
    ...(isUnknownFormat ? { isUnknownFormat } : {}),
  });
};
