import type { IncomingMessage, ServerResponse } from 'node:http';
import getRawBody from 'raw-body';
import { AppError } from '../platform/app-error.ts';

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** A media type that is safe to repeat in a response. */
const PLAIN_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/;

const tooLarge = (limitBytes: number) =>
  new AppError(
    'body_too_large',
    `The body is larger than this route’s limit of ${limitBytes} bytes. Send less.`,
  );

/** Throws `body_too_large` if a request's Content-Length exceeds the limit, before reading any of it. */
export const checkAnnouncedLength = (req: IncomingMessage, limitBytes: number): void => {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
};

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Reads a JSON body of at most `limitBytes`, after {@link checkAnnouncedLength}.
 *
 * Express's parser isn't used: past the limit, it reads the rest of the body before it responds. It also replaces
 * bytes that aren't UTF-8, which a save would then write to a file. Returns undefined if there's no body, which the
 * route's schema refuses. Throws `unsupported_media_type`, `body_too_large` (leaving the rest unread),
 * `invalid_request` (the body ended early) and `invalid_json`.
 */
export const readJsonBody = async (
  req: IncomingMessage,
  res: ServerResponse,
  limitBytes: number,
): Promise<unknown> => {
  if (!hasBody(req)) return undefined;
  const type = req.headers['content-type'] ?? '';
  if (!JSON_TYPE.test(type)) {
    const said = PLAIN_TYPE.test(type) ? `as ${type}` : 'without a type that dot-mi reads';
    throw new AppError(
      'unsupported_media_type',
      `This body was sent ${said}. Send JSON, with "Content-Type: application/json".`,
    );
  }
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.');
  }
  // Send this late, so that a client that waits for it (curl does for large bodies) doesn't send a body we refuse.
  if (req.headers.expect !== undefined) res.writeContinue();

  let bytes: Buffer;
  try {
    bytes = await getRawBody(req, { limit: limitBytes, length: req.headers['content-length'] ?? null });
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large')
      throw tooLarge(limitBytes);
    throw new AppError(
      'invalid_request',
      'The body is shorter than its Content-Length. Send the request again.',
      {},
      error,
    );
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new AppError(
      'invalid_json',
      'The body is not valid JSON in UTF-8. Correct it and send it again.',
      {},
      error,
    );
  }
};
