import { getDecodedToken, getEncodedToken } from '@cashu/cashu-ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';

/** A token that customers hand in, and what they were told of it. */
export interface Given {
  /** Its memo too, so that the history tells which operation is of which token. */
  name: string;
  text: string;
  /** Good ones are surely redeemable by us and nobody else. */
  isGood: boolean;
  /** The key it is handed in under, if under any. */
  key: string | undefined;
  /** Operations that a 200 named, and the amount it named. */
  accepted: Map<string, number>;
  /** It was handed in, and no final answer came yet. */
  isOpen: boolean;
}

/** A part of a token's proofs as a token: those from `from` on. */
export const partOf = (token: string, keysetIds: string[], from: number): string => {
  const decoded = getDecodedToken(token, keysetIds);
  return getEncodedToken({ ...decoded, proofs: decoded.proofs.slice(from) });
};

/** Every sixteenth token is one that cannot be redeemed. */
const BAD_EVERY = 16;

/**
 * Issues the tokens of a run, in turns small ones and ones of many proofs, of all keysets the mint has; some that are forged,
 * and some that somebody else spent whole or in part. Few carry DLEQ proofs: each costs the server 20 ms.
 */
export const issueTokens = async (
  mint: TestMintProcess,
  count: number,
  random: () => number,
): Promise<Given[]> => {
  const keysets = (await mint.keysets()).filter(({ active }) => active);
  const ids = keysets.map(({ id }) => id);
  const issueOne = async (index: number, memo: string): Promise<{ text: string; isGood: boolean }> => {
    const size = random();
    // 2^n + 1 is two proofs in and, after a fee of 1, one out.
    const amount = size < 0.75 ? 2 ** Math.floor(random() * 8) + 1 : 1 + Math.floor(random() * 300);
    const proofCount = size > 0.9 && amount > 16 ? 10 + Math.floor(random() * 7) : undefined;
    const keysetIds = random() < 0.3 ? ids : [ids[index % ids.length] ?? ''];
    const options = {
      memo,
      keysetIds,
      withoutDleq: random() < 0.95,
      version: random() < 0.3 ? ('A' as const) : ('B' as const),
      ...(proofCount === undefined ? {} : { proofCount }),
    };
    if (index % BAD_EVERY !== 7) return { text: await mint.issue(amount, options), isGood: true };
    const forged = random() < 0.4;
    const text = await mint.issue(amount, { ...options, ...(forged ? { forged: true } : {}) });
    if (!forged) await mint.spend([random() < 0.5 ? text : partOf(text, ids, 1)]);
    // The rest of a single proof is nothing.
    return { text, isGood: (await mint.unspent([text])) === amount };
  };

  const given: Given[] = [];
  for (let index = 0; index < count; index++) {
    const name = `t${index}`;
    const { text, isGood } = await issueOne(index, name);
    given.push({
      name,
      text,
      isGood,
      key: random() < 0.5 ? `key-${name}` : undefined,
      accepted: new Map(),
      isOpen: false,
    });
  }
  return given;
};
