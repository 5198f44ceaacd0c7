import { createHash, createHmac, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { proofMessage, signInMessage } from '../../shared/api/sign-in.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { CHALLENGE_SECONDS, createChallenges } from './challenges.ts';

/** A browser's key. */
interface PageKey {
  /** The only origin where the key can sign in. */
  readonly origin: string;
  readonly publicKey: JsonWebKey;
}

/** Dependencies of {@link createSignInService}. */
export interface SignInDeps {
  pageKeys: {
    /** Throws `page_key_not_found`. */
    find(id: string): Promise<PageKey>;
    markUsed(id: string, at: string): Promise<void>;
    /** Throws `sign_in_refused` for an origin where another program can respond. */
    requireOwnOrigin(origin: string): void;
  };
  operatorToken: { current(): string };
  /** SECURITY: valid at this address until the process ends. Never stored. */
  pageTokens: { readonly operator: string; readonly api: string };
  hasApiToken: boolean;
  /** Returns the SHA-256 of each agent key, in hex. */
  agentKeyHashes(): readonly string[];
  /**
   * Returns whether no other program can respond at an origin (`http://127.0.0.1:8000`) while this server listens.
   */
  ownsOrigin(origin: string): boolean;
  clock: Clock;
}

/** Signs pages in, and proves to them that this server is still the one that signed them in. */
export interface SignInService {
  /** Returns the page token with the same rights as the caller's token. Throws `unauthorized`. */
  exchange(isOperator: boolean): { token: string };
  challenge(): { challenge: string; expiresInSeconds: number };
  /** Throws `page_key_not_found` and `sign_in_refused`. */
  signIn(keyId: string, challenge: string, signature: string, origin: string): Promise<{ token: string }>;
  /**
   * Proves that this process created the page tokens, and knows the agent keys and the operator token. Returns the
   * hex HMAC of the nonce and the origin for each. The HMAC key is the page token itself, or the SHA-256 of the
   * operator token or agent key. Empty for an origin where another program could respond and forward the request to us.
   */
  prove(nonce: string, origin: string): string[];
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const isSignedBy = ({ publicKey }: PageKey, message: string, signature: string): boolean =>
  verify(
    'sha256',
    Buffer.from(message),
    { key: createPublicKey({ key: publicKey, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );

export const createSignInService = ({
  pageKeys,
  operatorToken,
  pageTokens,
  hasApiToken,
  agentKeyHashes,
  ownsOrigin,
  clock,
}: SignInDeps): SignInService => {
  const challenges = createChallenges(clock);

  return {
    exchange(isOperator) {
      // Without API_TOKEN, anyone can call this route, and only the operator token matters.
      if (!isOperator && !hasApiToken)
        throw new AppError(
          'unauthorized',
          'This token is not valid. Open the link that dot-mi printed when it started.',
        );
      return { token: isOperator ? pageTokens.operator : pageTokens.api };
    },

    challenge: () => ({ challenge: challenges.make(), expiresInSeconds: CHALLENGE_SECONDS }),

    async signIn(keyId, challenge, signature, origin) {
      const key = await pageKeys.find(keyId);
      pageKeys.requireOwnOrigin(origin);
      const isGood =
        key.origin === origin &&
        isSignedBy(key, signInMessage(challenge, origin), signature) &&
        // SECURITY: last, so that only the key's owner can use up a challenge.
        challenges.use(challenge);
      if (!isGood)
        throw new AppError(
          'sign_in_refused',
          'The signature is not valid for this address and challenge. Try again.',
        );
      await pageKeys.markUsed(keyId, new Date(clock.now()).toISOString());
      return { token: pageTokens.operator };
    },

    prove: (nonce, origin) =>
      ownsOrigin(origin)
        ? [...Object.values(pageTokens), hashOf(operatorToken.current()), ...agentKeyHashes()].map((secret) =>
            createHmac('sha256', secret).update(proofMessage(nonce, origin)).digest('hex'),
          )
        : [],
  };
};
