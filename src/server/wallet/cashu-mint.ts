import {
  Amount,
  type Keyset as CashuKeyset,
  Mint as CashuTsMint,
  CheckStateEnum,
  getEncodedToken,
  JSONInt,
  OutputData,
  type RequestOptions,
  splitAmount,
  Wallet,
} from '@cashu/cashu-ts';
import { checked, createCashuKeysets } from './cashu-keysets.ts';
import { fromCashu, toCashu } from './cashu-proofs.ts';
import { createTokenReader } from './cashu-tokens.ts';
import { type Mint, MintError, type Proof, type ProofState, type SwapPlan } from './mint.ts';
import { requestMint, shortWords } from './mint-http.ts';
import { mnemonicSeed } from './mnemonic-seed.ts';
import { normalizeMintUrl } from './token-text.ts';

/** More Ys or outputs in one request are refused by many mints. */
const MOST_A_REQUEST = 100;

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

  const states: Mint['states'] = (ys) =>
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
    });

  let seed: { mnemonic: string; bytes: Promise<Uint8Array> } | undefined;
  const seedOf = (mnemonic: string): Promise<Uint8Array> => {
    if (seed?.mnemonic !== mnemonic) seed = { mnemonic, bytes: mnemonicSeed(mnemonic) };
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
    ...createTokenReader(normalizeMintUrl(mintUrl), keysets, states),

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

    states,

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
