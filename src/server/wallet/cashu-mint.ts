import { createHash } from 'node:crypto';
import {
  Amount,
  type Keyset as CashuKeyset,
  Mint as CashuTsMint,
  CheckStateEnum,
  getEncodedToken,
  hasValidDleq,
  JSONInt,
  OutputData,
  type RequestOptions,
  splitAmount,
  Wallet,
} from '@cashu/cashu-ts';
import { mnemonicToSeed } from '@scure/bip39';
import { LRUCache } from 'lru-cache';
import { checked, createCashuKeysets } from './cashu-keysets.ts';
import { decode, fromCashu, isLocked, toCashu } from './cashu-proofs.ts';
import { hashToCurveHex } from './hash-to-curve.ts';
import { type Mint, MintError, type Proof, type ProofState, type SwapPlan, TokenError } from './mint.ts';
import { requestMint, shortWords } from './mint-http.ts';
import type { TokenProof } from './token-text.ts';

/** More Ys or outputs in one request are refused by many mints. */
const MOST_A_REQUEST = 100;

/** Others get their turn after so much work, in parts of a DLEQ check (some 20 ms): a proof without is a fortieth of one. */
const WORK_A_TURN = 4;
const WORK_WITHOUT_DLEQ = 1 / 40;

/** Proofs whose checks are remembered: validate then receive checks once. */
const REMEMBERED_PROOFS = 5_000;

/** SECURITY: a memo is kept and shown; anybody may write one of megabytes. */
const MEMO_LENGTH = 1_000;

const STATES: readonly string[] = Object.values(CheckStateEnum);

/** Asks for many in parts. Some mints take fewer still, and tell so by refusing; then in halves. */
const askInParts = async <T, Answer>(
  items: readonly T[],
  ask: (part: readonly T[]) => Promise<Answer[]>,
  most = MOST_A_REQUEST,
): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for (let start = 0; start < items.length; start += most) {
    const part = items.slice(start, start + most);
    try {
      answers.push(...(await ask(part)));
    } catch (error) {
      const maySplit = error instanceof MintError && error.kind === 'refused' && part.length > 1;
      if (!maySplit) throw error;
      answers.push(...(await askInParts(part, ask, Math.ceil(part.length / 2))));
    }
  }
  return answers;
};

/**
 * The mint at `mintUrl` through cashu-ts, which only the `cashu-*.ts` files know.
 *
 * Everything here takes processor time (0.4 ms for a Y, 20 ms for a DLEQ check), so it runs in a thread (`mint-thread.ts`).
 * Differences to what cashu-ts does by itself: requests are our own (a deadline, no retries, no redirects); an output that
 * is signed must come with its DLEQ proof where the mint supports NUT-12; counters are the caller's to keep.
 */
export const createCashuMint = (mintUrl: string, timeoutMs?: number): Mint => {
  const request = async <T>({
    endpoint,
    method = 'GET',
    requestBody,
    headers,
  }: RequestOptions): Promise<T> => {
    const text = await requestMint(
      {
        url: endpoint,
        method,
        ...(headers ? { headers } : {}),
        ...(requestBody === undefined ? {} : { body: JSONInt.stringify(requestBody) ?? '' }),
      },
      timeoutMs,
    );
    return checked(() => JSONInt.parse(text) as T);
  };
  const mint = new CashuTsMint(mintUrl, { customRequest: request });

  const keysets = createCashuKeysets(mint);
  const { wallet, withKeys } = keysets;

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
        await new Promise((resolve) => setImmediate(resolve));
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

  let seed: { mnemonic: string; bytes: Promise<Uint8Array> } | undefined;
  const seedOf = (mnemonic: string): Promise<Uint8Array> => {
    if (seed?.mnemonic !== mnemonic) seed = { mnemonic, bytes: mnemonicToSeed(mnemonic) };
    return seed.bytes;
  };

  /** Checks a signature that came outside a swap, and makes the proof of it. */
  const toProof = (
    output: OutputData,
    signature: Parameters<OutputData['toProof']>[0],
    keyset: CashuKeyset,
    requireDleq: boolean,
  ): Proof => {
    const { id, amount } = output.blindedMessage;
    if (signature.id !== id || !signature.amount.equals(amount) || (requireDleq && !signature.dleq)) {
      throw new MintError('invalid', 'The mint restored a signature that is not for our output.');
    }
    return fromCashu(output.toProof(signature, keyset));
  };

  return {
    async describe(text) {
      const { proofs, memo, ...token } = decode(text);
      return {
        ...token,
        ...(memo === undefined ? {} : { memo: memo.slice(0, MEMO_LENGTH) }),
        amount: proofs.reduce((sum, proof) => sum + proof.amount, 0),
        proofs: proofs.length,
        locked: proofs.some(isLocked),
      };
    },

    async open(text) {
      const decoded = decode(text).proofs;
      const ids = await keysets.resolve(decoded.map(({ id }) => id));
      const proofs = decoded.map((proof) => ({ ...proof, id: ids.get(proof.id) ?? proof.id }));
      const ys = await checkProofs(proofs);
      const fee = (await wallet()).getFeesForProofs(proofs);
      return {
        fee: fee.toNumber(),
        proofs: proofs.map(({ dleq: _dleq, ...proof }, index) => ({ ...proof, y: ys[index] ?? '' })),
      };
    },

    keysets: (refresh) => keysets.list(refresh),

    async split(keysetId, amount) {
      const { keys } = await withKeys(keysetId);
      return splitAmount(amount, keys).map((part) => part.toNumber());
    },

    async deterministicOutputs(keysetId, amounts, mnemonic, counter) {
      const [keyset, bytes] = await Promise.all([withKeys(keysetId), seedOf(mnemonic)]);
      const total = Amount.sum(amounts);
      return OutputData.createDeterministicData(total, bytes, counter, keyset, amounts).map(
        OutputData.serialize,
      );
    },

    async randomOutputs(keysetId, amounts) {
      const keyset = await withKeys(keysetId);
      return OutputData.createRandomData(Amount.sum(amounts), keyset, amounts).map(OutputData.serialize);
    },

    async swap({ keysetId, inputs, keep, send }: SwapPlan) {
      const from = await wallet();
      if (!from.keyChain.isUnitKeyset(keysetId)) {
        throw new MintError('refused', 'The mint no longer lists the keyset of the outputs.');
      }
      await withKeys(keysetId);
      const proofs = await checked(() =>
        from.completeSwap({
          keysetId,
          amount: Amount.zero(),
          fees: Amount.zero(),
          inputs: inputs.map(toCashu),
          keepOutputs: keep.map(OutputData.deserialize),
          sendOutputs: send.map(OutputData.deserialize),
        }),
      );
      return { keep: proofs.keep.map(fromCashu), send: proofs.send.map(fromCashu) };
    },

    states: (ys) =>
      askInParts(ys, async (part): Promise<ProofState[]> => {
        const answer = await checked(() => mint.check({ Ys: [...part] }));
        const byY = new Map(answer.states.map(({ Y, state }) => [Y, state]));
        return part.map((y) => {
          const state = byY.get(y);
          if (state === undefined || !STATES.includes(state)) {
            throw new MintError('invalid', 'The mint did not tell the state of a proof.');
          }
          return state;
        });
      }),

    restore: (keysetId, outputs) =>
      askInParts(outputs.map(OutputData.deserialize), async (part) => {
        const answer = await checked(() =>
          mint.restore({ outputs: part.map(({ blindedMessage }) => blindedMessage) }),
        );
        if (answer.signatures.length === 0) return part.map(() => null);
        const keyset = await withKeys(keysetId);
        const requireDleq = (await wallet()).getMintInfo().isSupported(12).supported;
        return checked(() => {
          const signatures = new Map(answer.outputs.map(({ B_ }, index) => [B_, answer.signatures[index]]));
          return part.map((output) => {
            const signature = signatures.get(output.blindedMessage.B_);
            return signature ? toProof(output, signature, keyset, requireDleq) : null;
          });
        });
      }),

    async scan(keysetId, mnemonic, from, count) {
      const bip39seed = await seedOf(mnemonic);
      const loaded = await wallet();
      const seeded = new Wallet(mint, { unit: 'sat', bip39seed });
      return checked(async () => {
        seeded.loadMintFromCache(loaded.getMintInfo().cache, loaded.keyChain.cache);
        const { proofs, lastCounterWithSignature } = await seeded.restore(from, count, { keysetId });
        return { proofs: proofs.map(fromCashu), lastCounter: lastCounterWithSignature };
      });
    },

    async encode(proofs, memo) {
      return getEncodedToken({
        mint: mintUrl,
        unit: 'sat',
        proofs: proofs.map(toCashu),
        ...(memo ? { memo } : {}),
      });
    },

    async info() {
      const { name, version, motd } = await checked(() => mint.getInfo());
      const words = Object.entries({ name, version, motd }).filter(
        ([, text]) => typeof text === 'string' && text,
      );
      return Object.fromEntries(words.map(([key, text]) => [key, shortWords(String(text))]));
    },

    async close() {},
  };
};
