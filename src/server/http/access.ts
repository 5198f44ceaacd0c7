import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { AppError } from '../platform/app-error.ts';

/** The tokens a caller may show. */
export interface Tokens {
  /** API_TOKEN; undefined asks for none on ordinary routes. */
  api?: string | undefined;
  /** The operator token, which can be renewed. It is also accepted where the API token is required. */
  operator: () => string;
  /** What pages hold instead of the other two: valid until the process ends. */
  pages: { readonly operator: string; readonly api: string };
}

/** Refuses a caller who may not use an endpoint, by throwing `unauthorized`. */
export type AccessCheck = (req: IncomingMessage, access: EndpointShape['access']) => void;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Makes the check of `Authorization: Bearer <token>` (RFC 6750) against the tokens of this server. */
export const createAccessCheck = ({ api, operator, pages }: Tokens): AccessCheck => {
  let renewable = { token: '', digest: digest('') };
  const operatorDigest = () => {
    const token = operator();
    if (renewable.token !== token) renewable = { token, digest: digest(token) };
    return renewable.digest;
  };
  const pageDigest = digest(pages.operator);
  const apiDigests = api === undefined ? [] : [digest(api), digest(pages.api)];

  return (req, access) => {
    if (access === 'open' || (access === 'api' && api === undefined)) return;
    const shown = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
    if (shown !== undefined) {
      // SECURITY: equal lengths and constant time, so that answers do not tell how much of a guess was right.
      const shownDigest = digest(shown);
      const accepted = [pageDigest, operatorDigest(), ...(access === 'api' ? apiDigests : [])];
      if (accepted.some((each) => timingSafeEqual(shownDigest, each))) return;
    }
    throw new AppError(
      'unauthorized',
      access === 'operator'
        ? 'This route needs the operator token: send "Authorization: Bearer <token>".'
        : 'This server needs a token: send "Authorization: Bearer <API_TOKEN>".',
    );
  };
};
