import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { AppError } from '../platform/app-error.ts';

/** The tokens that a caller may send. */
export interface Tokens {
  /** API_TOKEN. If it is undefined, ordinary routes need no token. */
  api?: string | undefined;
  /** The operator token, which can be renewed. It is also accepted where the API token is required. */
  operator: () => string;
  /** Page tokens, which pages hold instead of the other two. They are valid until the process ends. */
  pages: { readonly operator: string; readonly api: string };
}

/** Throws `unauthorized` if a caller may not use an endpoint. */
export type AccessCheck = (req: IncomingMessage, access: EndpointShape['access']) => void;

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Creates the check of `Authorization: Bearer <token>` (RFC 6750) against the tokens of this server. */
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
      // SECURITY: equal lengths and constant time, so that answers don't reveal how close a guess was.
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
