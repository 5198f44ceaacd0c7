import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';

/** How long a challenge works. */
export const CHALLENGE_SECONDS = 60;

/** Challenges that browsers sign to sign in. */
interface Challenges {
  /** Makes a challenge, such as `mh8xk2lo.<nonce>.<HMAC>`. It's valid for {@link CHALLENGE_SECONDS}, in this process. */
  make(): string;
  /** Returns whether this process made a challenge that hasn't expired, and hasn't been used yet. It then has. */
  use(challenge: string): boolean;
}

/**
 * Creates {@link Challenges}. Anyone can request them, so none is stored: a challenge says itself when it expires, and
 * an HMAC proves that. Only those that signed somebody in are remembered until they expire, because a signature must not
 * work twice.
 */
export const createChallenges = (clock: Clock): Challenges => {
  const key = randomBytes(32);
  /** When each one expires, in milliseconds since 1970. */
  const used = new Map<string, number>();

  const sealOf = (content: string) => createHmac('sha256', key).update(content).digest('base64url');

  /** Returns when a challenge of ours expires. */
  const expiryOf = (challenge: string): number | undefined => {
    const end = challenge.lastIndexOf('.');
    const content = challenge.slice(0, end);
    const [shown, expected] = [Buffer.from(challenge.slice(end + 1)), Buffer.from(sealOf(content))];
    // SECURITY: compare as text, because other base64url texts have the same bytes.
    if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) return undefined;
    return Number.parseInt(content, 36);
  };

  return {
    make() {
      const expiresAtMs = clock.now() + CHALLENGE_SECONDS * 1000;
      const content = `${expiresAtMs.toString(36)}.${randomBytes(16).toString('base64url')}`;
      return `${content}.${sealOf(content)}`;
    },
    use(challenge) {
      const now = clock.now();
      for (const [old, expiresAtMs] of used) if (expiresAtMs < now) used.delete(old);
      const expiresAtMs = expiryOf(challenge);
      if (expiresAtMs === undefined || expiresAtMs < now || used.has(challenge)) return false;
      used.set(challenge, expiresAtMs);
      return true;
    },
  };
};
