import { getDecodedToken, getEncodedToken } from '@cashu/cashu-ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';

/** A token that clients hand in, and the answers to it. */
export interface Given {
  name: string;
  /** The name, so that the history shows each operation's token; undefined for tokens without a memo. */
  memo: string | undefined;
  text: string;
  /**
   * - `good`: surely redeemable by us and nobody else.
   * - `bad`: not redeemable.
   * - `unsure`: its keyset expires, or its proofs are the wallet's own.
   */
  worth: 'good' | 'bad' | 'unsure';
  /** The idempotency key it is handed in with, if any. */
  key: string | undefined;
  /** Operations from 200 answers, with their amounts. */
  accepted: Map<string, number>;
  /** It was handed in, and has no final answer yet. */
  isOpen: boolean;
}

/** A token of a token's proofs from index `from` on. */
export const partOf = (token: string, keysetIds: string[], from: number): string => {
  const decoded = getDecodedToken(token, keysetIds);
  return getEncodedToken({ ...decoded, proofs: decoded.proofs.slice(from) });
};

/** One token in this many can't be redeemed. */
const BAD_EVERY = 16;

/**
 * Issues the tokens of a run: small ones and ones of many proofs, of all active keysets. Some are forged, and
 * somebody else spent some whole or in part. Their names count from `first`, and no two may be the same. Few carry DLEQ proofs, because each costs the server 20 ms.
 */
export const issueTokens = async (
  mint: TestMintProcess,
  count: number,
  random: () => number,
  first = 0,
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
    // Spending a part of a single-proof token spends nothing.
    return { text, isGood: (await mint.unspent([text])) === amount };
  };

  const given: Given[] = [];
  for (let index = first; index < first + count; index++) {
    const name = `t${index}`;
    const { text, isGood } = await issueOne(index, name);
    given.push({
      name,
      memo: name,
      text,
      worth: isGood ? 'good' : 'bad',
      key: random() < 0.5 ? `key-${name}` : undefined,
      accepted: new Map(),
      isOpen: false,
    });
  }
  return given;
};

/** Issues a few tokens of a keyset that expires soon. */
export const issueExpiring = async (
  mint: TestMintProcess,
  keysetId: string,
  random: () => number,
): Promise<Given[]> => {
  const given: Given[] = [];
  for (let index = 0; index < 4; index++) {
    const name = `expiring-${keysetId.slice(0, 12)}-${index}`;
    const amount = 1 + Math.floor(random() * 200);
    // The mint may be away.
    const text = await mint
      .issue(amount, { memo: name, keysetIds: [keysetId], withoutDleq: true })
      .catch(() => undefined);
    if (text === undefined) continue;
    given.push({
      name,
      memo: name,
      text,
      worth: 'unsure',
      key: undefined,
      accepted: new Map(),
      isOpen: false,
    });
  }
  return given;
};
