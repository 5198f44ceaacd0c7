import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { type FetchJson, SourceError } from './btc-sources.ts';

const TIMEOUT_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;
/** The redirects that `fetch` would follow (RFC 9110, 15.4). */
const REDIRECTS = [301, 302, 303, 307, 308];

/** Opens a URL without `fetch`, whose separate HTTP client takes memory and adds 60 ms to each start. */
const open = (url: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const get = new URL(url).protocol === 'https:' ? httpsGet : httpGet;
    // Close connections, because requests are minutes apart. Some sources refuse requests without a user agent.
    const headers = { accept: 'application/json', connection: 'close', 'user-agent': 'dot-mi' };
    // Keep listening after the response starts, because an unhandled error would end the process.
    get(url, { signal, headers }, resolve).on('error', reject);
  });

const retryAfterMs = (response: IncomingMessage, now: number): number | undefined => {
  const text = response.headers['retry-after']?.trim();
  if (!text) return undefined;
  // Seconds or a date (RFC 9110, 10.2.3).
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS) : undefined;
};

const readBounded = async (response: IncomingMessage, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new SourceError('the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** Creates a {@link FetchJson} that waits at most `timeoutMs` and reads at most `maxBytes`. */
export const createFetchJson =
  (now: () => number, maxBytes: number, timeoutMs: number = TIMEOUT_MS): FetchJson =>
  async (url) => {
    try {
      const response = await open(url, AbortSignal.timeout(timeoutMs));
      const { statusCode: status = 0 } = response;
      if (status < 200 || status >= 300) {
        response.destroy();
        // SECURITY: a source must not redirect us to another address, such as one on this network.
        throw REDIRECTS.includes(status)
          ? new SourceError('the response was a redirect, which dot-mi doesn’t follow')
          : new SourceError(`HTTP ${status}`, retryAfterMs(response, now()));
      }
      return JSON.parse(await readBounded(response, maxBytes));
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw new SourceError(error instanceof SyntaxError ? 'the response is not JSON' : 'no answer');
    }
  };
