import { createHash } from 'node:crypto';
import { hasValidDleq } from '@cashu/cashu-ts';
import { LRUCache } from 'lru-cache';
import type { CashuKeysets } from './cashu-keysets.ts';
import { decode, isLocked, toCashu } from './cashu-proofs.ts';
import { hashToCurveHex } from './hash-to-curve.ts';
import {
  type InspectedToken,
  type Mint,
  type OpenedToken,
  type RefusedToken,
  type TokenDescription,
  TokenError,
} from './mint.ts';
import { type DecodedToken, normalizeMintUrl, type TokenProof } from './token-text.ts';

/** Others get their turn after so much work, in parts of a DLEQ check (some 20 ms): a proof without is a fortieth of one. */
const WORK_A_TURN = 4;
const WORK_WITHOUT_DLEQ = 1 / 40;

/** Proofs whose checks are remembered: validate then receive checks once. */
const REMEMBERED_PROOFS = 5_000;

/** SECURITY: a memo is kept and shown; anybody may write one of megabytes. */
const MEMO_LENGTH = 1_000;

const describeToken = ({ proofs, memo, ...token }: DecodedToken): TokenDescription => ({
  ...token,
  ...(memo === undefined ? {} : { memo: memo.slice(0, MEMO_LENGTH) }),
  amount: proofs.reduce((sum, proof) => sum + proof.amount, 0),
  proofs: proofs.length,
  locked: proofs.some(isLocked),
});

/** The part of a {@link Mint} that reads tokens. `mintUrl` in its normal form. */
export const createTokenReader = (
  mintUrl: string,
  { wallet, withKeys, resolve }: CashuKeysets,
  states: Mint['states'],
): Pick<Mint, 'describe' | 'inspect' | 'check'> => {
  // By hash, so that no token stays in memory longer than its request.
  const remembered = new LRUCache<string, string[]>({
    maxSize: REMEMBERED_PROOFS,
    sizeCalculation: (ys) => Math.max(1, ys.length),
  });

  const checkProofs = async (proofs: (TokenProof & { id: string })[]): Promise<string[]> => {
    const key = createHash('sha256').update(JSON.stringify(proofs)).digest('base64');
    const before = remembered.get(key);
    if (before) return before;
    const ys: string[] = [];
    let work = 0;
    for (const proof of proofs) {
      work += proof.dleq ? 1 : WORK_WITHOUT_DLEQ;
      if (work > WORK_A_TURN) {
        await new Promise((turn) => setImmediate(turn));
        work = 0;
      }
      ys.push(hashToCurveHex(proof.secret));
      const keyset = await withKeys(proof.id);
      const { amount, dleq } = proof;
      // An amount the keyset has no key for cannot have been signed. SECURITY: and it could need thousands of outputs.
      const valid =
        keyset.keys[amount] !== undefined &&
        (!dleq || hasValidDleq({ ...toCashu(proof), dleq }, keyset, { require: true }));
      if (!valid) throw new TokenError('invalid_signature');
    }
    remembered.set(key, ys);
    return ys;
  };

  const open = async (decoded: readonly TokenProof[]): Promise<OpenedToken> => {
    const ids = await resolve(decoded.map(({ id }) => id));
    const proofs = decoded.map((proof) => ({ ...proof, id: ids.get(proof.id) ?? proof.id }));
    const ys = await checkProofs(proofs);
    const fee = (await wallet()).getFeesForProofs(proofs);
    return {
      fee: fee.toNumber(),
      proofs: proofs.map(({ dleq: _dleq, ...proof }, index) => ({ ...proof, y: ys[index] ?? '' })),
    };
  };

  const inspect = async (text: string): Promise<RefusedToken | InspectedToken> => {
    const decoded = decode(text);
    const description = describeToken(decoded);
    // What can be told without the mint is told without it.
    if (normalizeMintUrl(description.mint) !== mintUrl) return { description, refusal: 'wrong_mint' };
    if (description.unit !== 'sat') return { description, refusal: 'wrong_unit' };
    if (description.locked) return { description, refusal: 'locked' };
    try {
      return { description, opened: await open(decoded.proofs) };
    } catch (error) {
      if (error instanceof TokenError) return { description, refusal: error.reason };
      throw error;
    }
  };

  return {
    describe: async (text) => describeToken(decode(text)),

    inspect,

    async check(text) {
      const inspected = await inspect(text);
      if ('refusal' in inspected) return inspected;
      return { ...inspected, states: await states(inspected.opened.proofs.map(({ y }) => y)) };
    },
  };
};
