import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { AppError } from '../platform/app-error.ts';

/** The tokens a caller may show. */
export interface Tokens {
  /** API_TOKEN; undefined asks for none on ordinary routes. */
  api?: string | undefined;
  /** The operator token; also serves where the API token is asked for. */
  operator: string;
}

/** Refuses a caller who may not use an endpoint, by throwing `unauthorized`. */
export type AccessCheck = (req: IncomingMessage, access: EndpointShape['access']) => void;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Makes the check of `Authorization: Bearer <token>` (RFC 6750) against the tokens of this server. */
export const createAccessCheck = ({ api, operator }: Tokens): AccessCheck => {
  // SECURITY: equal lengths and constant time, so that answers do not tell how much of a guess was right.
  const operatorDigest = digest(operator);
  const apiDigest = api === undefined ? undefined : digest(api);

  return (req, access) => {
    if (access === 'open' || (access === 'api' && !apiDigest)) return;
    const shown = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
    if (shown !== undefined) {
      const shownDigest = digest(shown);
      if (timingSafeEqual(shownDigest, operatorDigest)) return;
      if (access === 'api' && apiDigest && timingSafeEqual(shownDigest, apiDigest)) return;
    }
    throw new AppError(
      'unauthorized',
      access === 'operator'
        ? 'This route needs the operator token: send "Authorization: Bearer <token>".'
        : 'This server needs a token: send "Authorization: Bearer <API_TOKEN>".',
    );
  };
};
