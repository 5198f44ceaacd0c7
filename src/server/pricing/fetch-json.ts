import { type FetchJson, SourceError } from './btc-sources.ts';

const TIMEOUT_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

const retryAfterMs = (response: Response, now: number): number | undefined => {
  const text = response.headers.get('retry-after')?.trim();
  if (!text) return undefined;
  // Seconds or a date (RFC 9110, 10.2.3).
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS) : undefined;
};

const readBounded = async (response: Response, maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new SourceError('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const reasonOf = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'the answer is not JSON';
  return error instanceof TypeError && /redirect/.test(String(error.cause))
    ? 'the answer was a redirect, which dot-mi does not follow'
    : 'no answer';
};

/** Creates a {@link FetchJson} that waits at most `timeoutMs` and reads at most `maxBytes`. */
export const createFetchJson =
  (now: () => number, maxBytes: number, timeoutMs: number = TIMEOUT_MS): FetchJson =>
  async (url) => {
    try {
      const response = await fetch(url, {
        headers: { accept: 'application/json' },
        // SECURITY: a source must not redirect us to another address, such as one on this network.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new SourceError(`HTTP ${response.status}`, retryAfterMs(response, now()));
      }
      return JSON.parse(await readBounded(response, maxBytes));
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw new SourceError(reasonOf(error));
    }
  };
