import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { bareTokens, isTokenText } from '../../../shared/bare-token.ts';
import { otherPaymentOf } from '../../../shared/other-payment.ts';
import type { CashuKeysets } from './cashu-keysets.ts';
import { isLocked } from './cashu-proofs.ts';
import { type Curve, createCurveTurns } from './curve.ts';
import {
  type KeysetKeys,
  type Mint,
  type OpenedToken,
  type RefusedToken,
  type TokenDescription,
  TokenError,
} from './mint.ts';
import {
  type DecodedToken,
  decodeToken,
  hasKnownVersions,
  normalizeMintUrl,
  type TokenProof,
} from './token-text.ts';

/** How many checked proofs to remember, so that a receive doesn't repeat the checks of a validation. */
const REMEMBERED_PROOFS = 5_000;

/** How many keysets to load at once. */
const KEYS_AT_ONCE = 20;

/** The longest memo, in characters. SECURITY: it's stored and shown, and its author may have written megabytes. */
const MEMO_LENGTH = 1_000;

const describeToken = ({ proofs, memo, ...token }: DecodedToken): TokenDescription => ({
  ...token,
  ...(memo === undefined ? {} : { memo: memo.slice(0, MEMO_LENGTH) }),
  amount: proofs.reduce((sum, proof) => sum + proof.amount, 0),
  proofs: proofs.length,
  locked: proofs.some(isLocked),
});

/** Returns what a text is that isn't one complete token. SECURITY: this can take long, so only this thread does it. */
const insteadOf = (text: string): RefusedToken['isInstead'] => {
  const other = otherPaymentOf(text);
  if (other) return other;
  const { length: tokens } = bareTokens(text).filter(isTokenText);
  return tokens > 1 ? { tokens } : undefined;
};

/** Returns whether the mint may have signed a proof whose secret is the point `y`. Certain only with a DLEQ proof. */
const mayBeSigned = (proof: TokenProof, y: string, { keys }: KeysetKeys, curve: Curve): boolean => {
  const { amount, C, dleq } = proof;
  // SECURITY: an amount without a key can't be signed, and could need thousands of outputs.
  const key = Object.hasOwn(keys, amount) ? keys[amount] : undefined;
  if (key === undefined) return false;
  return dleq ? curve.verifyProof({ y, C, dleq }, key) : curve.isPoint(C);
};

/** SECURITY: forged proofs cost their author nothing, but cost us processor time and requests. */
const hasTooMany = ({ proofs }: TokenDescription, mostProofs: number): boolean => proofs > mostProofs;

/** Creates the part of a {@link Mint} that reads tokens. `mintUrls` are its addresses, normalized. */
export const createTokenReader = (
  mintUrls: readonly string[],
  { withKeys, resolve, feeOf, list }: CashuKeysets,
  curve: Curve,
): Pick<Mint, 'describe' | 'inspect'> => {
  // Stored by hash, so that no token stays in memory after its request.
  const remembered = new LRUCache<string, string[]>({
    maxSize: REMEMBERED_PROOFS,
    sizeCalculation: (ys) => Math.max(1, ys.length),
  });

  const ysOf = async (proofs: readonly TokenProof[]): Promise<string[]> => {
    const turn = createCurveTurns();
    const ys: string[] = [];
    for (const { secret } of proofs) {
      ys.push(curve.hashToCurve(secret));
      await turn();
    }
    return ys;
  };

  const checkProofs = async (proofs: readonly TokenProof[]): Promise<string[]> => {
    const key = createHash('sha256').update(JSON.stringify(proofs)).digest('base64');
    const before = remembered.get(key);
    if (before) return before;
    const ys = await ysOf(proofs);
    const turn = createCurveTurns();
    for (const [at, proof] of proofs.entries()) {
      const keyset = await withKeys(proof.id);
      if (!mayBeSigned(proof, ys[at] ?? '', keyset, curve)) throw new TokenError('invalid_signature');
      await turn();
    }
    remembered.set(key, ys);
    return ys;
  };

  /** Loads the keys of several keysets at once. */
  const loadKeysOf = async (keysetIds: Iterable<string>) => {
    const left = [...new Set(keysetIds)];
    while (left.length > 0) await Promise.all(left.splice(0, KEYS_AT_ONCE).map(withKeys));
  };

  const open = async (decoded: readonly TokenProof[]): Promise<OpenedToken> => {
    const ids = await resolve(decoded.map(({ id }) => id));
    const proofs = decoded.map((proof) => ({ ...proof, id: ids.get(proof.id) ?? proof.id }));
    await loadKeysOf(ids.values());
    const ys = await checkProofs(proofs);
    return {
      fee: feeOf(proofs.map(({ id }) => id)),
      signaturesChecked: proofs.every(({ dleq }) => dleq !== undefined),
      proofs: proofs.map(({ dleq: _dleq, ...proof }, index) => ({ ...proof, y: ys[index] ?? '' })),
    };
  };

  const inspect: Mint['inspect'] = async (text, mostProofs = Number.POSITIVE_INFINITY) => {
    let description: TokenDescription | undefined;
    try {
      const decoded = decodeToken(text);
      description = describeToken(decoded);
      // These checks come first, because they need no request.
      if (!mintUrls.includes(normalizeMintUrl(description.mint))) throw new TokenError('wrong_mint');
      if (description.unit !== 'sat') throw new TokenError('wrong_unit');
      if (!hasKnownVersions(decoded)) throw new TokenError('unsupported');
      if (description.locked) throw new TokenError('locked');
      if (hasTooMany(description, mostProofs)) throw new TokenError('too_large');
      return { description, opened: await open(decoded.proofs), keysets: await list(false) };
    } catch (error) {
      if (error instanceof TokenError)
        return { description, refusal: error.reason, isInstead: description ? undefined : insteadOf(text) };
      throw error;
    }
  };

  return {
    async describe(text, mostProofs) {
      const decoded = decodeToken(text);
      const description = describeToken(decoded);
      const isOver = hasTooMany(description, mostProofs);
      return { description, ys: isOver ? undefined : await ysOf(decoded.proofs) };
    },

    inspect,
  };
};
