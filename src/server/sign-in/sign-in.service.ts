import { createHash, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import { type PageKey, proofMessage, signInMessage } from '../../shared/api/sign-in.ts';
import { isRunHost, PAGE_HOST } from '../../shared/page-host.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { OperatorToken } from './operator-token.ts';
import { type KeptPageKey, type PageKeys, shownKey } from './page-keys.ts';

const CHALLENGE_SECONDS = 60;
/** Anyone can ask for a challenge, so the oldest are dropped. */
const MAX_CHALLENGES = 1000;

/** Dependencies of {@link createSignInService}. */
export interface SignInDeps {
  keys: PageKeys;
  operatorToken: OperatorToken;
  /** SECURITY: valid at this address until the process ends. Never stored. */
  pageTokens: { readonly operator: string; readonly api: string };
  hasApiToken: boolean;
  /** The SHA-256 of each agent key, in hex. */
  agentKeyHashes(): readonly string[];
  /** Whether no other program can answer at an origin (`http://127.0.0.1:8000`) while this server listens. */
  ownsOrigin(origin: string): boolean;
  clock: Clock;
}

/** Signs pages in, and proves to them that this server is still the one that signed them in. */
export interface SignInService {
  /** Returns the page token with the same rights as the caller's token. Throws `unauthorized`. */
  exchange(isOperator: boolean): { token: string };
  challenge(): { challenge: string; expiresInSeconds: number };
  /** Throws `page_key_not_found`, `sign_in_refused`. */
  signIn(keyId: string, challenge: string, signature: string, origin: string): Promise<{ token: string }>;
  list(): Promise<PageKey[]>;
  /** Throws `sign_in_refused`. */
  create(name: string, publicKey: KeptPageKey['publicKey'], origin: string): Promise<PageKey>;
  /** Throws `page_key_not_found`. */
  remove(keyId: string): Promise<void>;
  renewOperatorToken(): Promise<void>;
  /**
   * Proves that this process created the page tokens, and knows the agent keys and the operator token: for each,
   * hex of an HMAC over the nonce and the origin. Its key is the page token, or the SHA-256 of the other. Empty for an origin where another program could answer and forward the request to us.
   */
  prove(nonce: string, origin: string): string[];
}

const keyNotFound = () =>
  new AppError(
    'page_key_not_found',
    'This browser was signed out, or its sign-in expired. Sign in with the link that dot-mi printed when it started.',
  );

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const refused = (sentence: string, cause?: unknown) => new AppError('sign_in_refused', sentence, {}, cause);

const isSignedBy = ({ publicKey }: KeptPageKey, message: string, signature: string): boolean =>
  verify(
    'sha256',
    Buffer.from(message),
    { key: createPublicKey({ key: publicKey, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );

/** Creates the service. */
export const createSignInService = ({
  keys,
  operatorToken,
  pageTokens,
  hasApiToken,
  agentKeyHashes,
  ownsOrigin,
  clock,
}: SignInDeps): SignInService => {
  /** When each challenge expires, in milliseconds since 1970. */
  const challenges = new Map<string, number>();

  const requireOwnOrigin = (origin: string) => {
    // SECURITY: another program can listen at this address and forward what a page signs for it.
    if (ownsOrigin(origin)) return;
    throw refused("You can't stay signed in at this address, because another program may answer there.");
  };

  return {
    exchange(isOperator) {
      // Without API_TOKEN, anyone can call this route, and only the operator token means something.
      if (!isOperator && !hasApiToken)
        throw new AppError(
          'unauthorized',
          'This token is not valid. Open the link that dot-mi printed when it started.',
        );
      return { token: isOperator ? pageTokens.operator : pageTokens.api };
    },

    challenge() {
      const challenge = randomBytes(32).toString('base64url');
      challenges.set(challenge, clock.now() + CHALLENGE_SECONDS * 1000);
      const [oldest] = challenges.keys();
      if (challenges.size > MAX_CHALLENGES && oldest !== undefined) challenges.delete(oldest);
      return { challenge, expiresInSeconds: CHALLENGE_SECONDS };
    },

    async signIn(keyId, challenge, signature, origin) {
      const expiresAtMs = challenges.get(challenge) ?? 0;
      challenges.delete(challenge);
      const key = (await keys.list()).find(({ id }) => id === keyId);
      if (!key) throw keyNotFound();
      requireOwnOrigin(origin);
      const isGood =
        expiresAtMs >= clock.now() &&
        key.origin === origin &&
        isSignedBy(key, signInMessage(challenge, origin), signature);
      if (!isGood) throw refused('The signature is not valid for this address and challenge. Try again.');
      await keys.markUsed(keyId, new Date(clock.now()).toISOString());
      return { token: pageTokens.operator };
    },

    list: async () => (await keys.list()).map(shownKey),

    async create(name, publicKey, origin) {
      requireOwnOrigin(origin);
      const { hostname, port } = new URL(origin);
      if (isRunHost(hostname))
        throw refused(
          `This address ends when dot-mi stops. To stay signed in, open http://${PAGE_HOST}:${port} and sign in there.`,
        );
      try {
        createPublicKey({ key: publicKey, format: 'jwk' });
      } catch (error) {
        throw refused('The public key is not a point on the curve P-256.', error);
      }
      const createdAt = new Date(clock.now()).toISOString();
      return shownKey(await keys.add({ name, origin, publicKey, createdAt }));
    },

    async remove(keyId) {
      if (!(await keys.remove(keyId))) throw keyNotFound();
    },

    renewOperatorToken: () => operatorToken.renew(),

    prove: (nonce, origin) =>
      ownsOrigin(origin)
        ? [...Object.values(pageTokens), hashOf(operatorToken.current()), ...agentKeyHashes()].map((secret) =>
            createHmac('sha256', secret).update(proofMessage(nonce, origin)).digest('hex'),
          )
        : [],
  };
};
