import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { getEncodedToken, PaymentRequest } from '@cashu/cashu-ts';
import { cashuCurve } from './cashu-curve.ts';
import { createCashuKeysets, foreignKeysetError } from './cashu-keysets.ts';
import {
  createDeriver,
  type Derive,
  hasRightDleq,
  makeOutput,
  randomSecrets,
  toProof,
} from './cashu-outputs.ts';
import { toCashu } from './cashu-proofs.ts';
import { createScan } from './cashu-scan.ts';
import { createTokenReader } from './cashu-tokens.ts';
import { type Curve, createCurveTurns } from './curve.ts';
import { type KeysetKeys, type Mint, MintError, type Output, type Proof } from './mint.ts';
import { type BlindSignature, createBatches, createMintApi, type MintApi, readResponse } from './mint-api.ts';
import { shortWords } from './mint-refusal.ts';
import type { MintThreadData } from './mint-thread.ts';
import { normalizeMintUrl } from './token-text.ts';

const stretch = promisify(pbkdf2);

/**
 * Derives the 64-byte seed from a mnemonic without a passphrase (BIP-39, "From mnemonic to seed"). Doesn't check the
 * words.
 *
 * Equals `mnemonicToSeed` of `@scure/bip39`, which delays the first receive after each start by a tenth of a second.
 * A test compares the two.
 */
export const mnemonicSeed = (mnemonic: string): Promise<Uint8Array> =>
  stretch(mnemonic.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512');

/** Derives secrets from counters. Caches the last mnemonic's keys, which are slow to derive. */
const createDerivers = (curve: Curve) => {
  let last: { mnemonic: string; seed: Promise<Uint8Array>; byKeyset: Map<string, Derive> } | undefined;
  return async (mnemonic: string, keysetId: string): Promise<Derive> => {
    if (last?.mnemonic !== mnemonic) last = { mnemonic, seed: mnemonicSeed(mnemonic), byKeyset: new Map() };
    const { seed, byKeyset } = last;
    const derive = byKeyset.get(keysetId) ?? createDeriver(curve, await seed, keysetId);
    byKeyset.set(keysetId, derive);
    return derive;
  };
};

/** Every mint accepts this many items in a request. */
const FEW_ITEMS = 20;

/** SECURITY: a mint can list any number of units, of any length. */
const MOST_UNITS = 20;

/** Returns the key that signs an amount. Throws if the keyset has none. */
const keyFor = ({ id, keys }: KeysetKeys, amount: number): string => {
  const key = Object.hasOwn(keys, amount) ? keys[amount] : undefined;
  if (key === undefined)
    throw new MintError('invalid', `The mint’s keyset ${id} has no key for the amount ${amount}.`);
  return key;
};

/** Facts about the mint that only the wallet's database has. */
interface MintFacts extends Pick<MintThreadData, 'foreign' | 'earlierUrls'> {
  /** Default: the API at the mint's URL. */
  api?: MintApi | undefined;
}

/**
 * Creates the mint at `mintUrl`. `stored` are keysets learned earlier. See {@link Mint.keysets}.
 *
 * Everything here is CPU-intensive, so it runs in a thread (`mint-thread.ts`). Only the `cashu-*.ts` files import
 * cashu-ts. We don't use its wallet: our requests have a deadline and no redirects. One bad keyset doesn't stop the
 * others, known keysets need no request, and the caller keeps the counters.
 */
export const createCashuMint = (
  mintUrl: string,
  timeoutMs?: number,
  stored: readonly KeysetKeys[] = [],
  curve: Curve = cashuCurve,
  { foreign = [], earlierUrls = [], api = createMintApi(mintUrl, timeoutMs) }: MintFacts = {},
): Mint => {
  const keysets = createCashuKeysets(api, stored, foreign);
  const derivers = createDerivers(curve);
  const deriverOf = async (mnemonic: string, keysetId: string): Promise<Derive> => {
    if (keysets.isForeign(keysetId)) throw foreignKeysetError();
    return derivers(mnemonic, keysetId);
  };
  const stateBatches = createBatches();
  const restoreBatches = createBatches();

  let supportsDleq: boolean | undefined;
  let mostItems = Number.POSITIVE_INFINITY;
  const info = async () => {
    const response = await api.info();
    supportsDleq = response.supportsDleq;
    mostItems = response.mostItems ?? Number.POSITIVE_INFINITY;
    for (const batches of [stateBatches, restoreBatches]) batches.limit(mostItems);
    return response;
  };

  /**
   * Learns how many items the mint accepts before a request with many. If that fails, the mint's refusal names the limit.
   */
  const learnLimit = async (items: number): Promise<void> => {
    if (items > FEW_ITEMS && supportsDleq === undefined) await info().catch(() => undefined);
  };

  const states: Mint['states'] = async (ys) => {
    await learnLimit(ys.length);
    return stateBatches.ask(ys, api.states);
  };

  /** Fetches the mint's signatures for these outputs, in their order. */
  const askRestore = async (outputs: readonly Output[]) => {
    await learnLimit(outputs.length);
    return restoreBatches.ask(outputs, async (part) => {
      const restored = new Map((await api.restore(part)).map((entry) => [entry.blinded, entry]));
      return part.map(({ blindedMessage }) => restored.get(blindedMessage.B_));
    });
  };

  /** Throws the refusal that a mint would send for more items than it accepts (NUT-06). */
  const requireFew = (what: 'inputs' | 'outputs', items: number): void => {
    if (items <= mostItems) return;
    throw new MintError('refused', `The mint accepts at most ${mostItems} ${what}.`, {
      limit: { what, most: mostItems },
    });
  };

  const makeOutputs = async (
    keysetId: string,
    amounts: readonly number[],
    secretsOf: (at: number) => Parameters<typeof makeOutput>[3],
  ): Promise<Output[]> => {
    const keyset = await keysets.withKeys(keysetId);
    const turn = createCurveTurns();
    const outputs: Output[] = [];
    for (const [at, amount] of amounts.entries()) {
      keyFor(keyset, amount);
      outputs.push(makeOutput(curve, keysetId, amount, secretsOf(at)));
      await turn();
    }
    return outputs;
  };

  /** Verifies a signature and creates its proof. */
  const verifiedProof = (output: Output, signature: BlindSignature, keyset: KeysetKeys): Proof => {
    const key = keyFor(keyset, signature.amount);
    if (signature.id !== output.blindedMessage.id || !hasRightDleq(curve, output, signature, key)) {
      throw new MintError('invalid', 'The mint sent a signature that doesn’t match the wallet’s output.');
    }
    return readResponse(() => toProof(curve, output, signature, key));
  };

  /** Returns whether the mint must send DLEQ proofs, which is known before a swap is sent. */
  const mustSendDleq = async (): Promise<boolean> => {
    try {
      return supportsDleq ?? (await info()).supportsDleq;
    } catch (error) {
      if (!(error instanceof MintError)) throw error;
      throw new MintError(error.kind, error.message, { ...error.details, isUnsent: true });
    }
  };

  return {
    ...createTokenReader([mintUrl, ...earlierUrls].map(normalizeMintUrl), keysets, curve),

    keysets: (refresh) => keysets.list(refresh),

    disown: async (ids) => keysets.disown(ids),

    async deterministicOutputs(keysetId, amounts, mnemonic, counter) {
      const derive = await deriverOf(mnemonic, keysetId);
      return makeOutputs(keysetId, amounts, (at) => derive(counter + at));
    },

    randomOutputs: (keysetId, amounts) => makeOutputs(keysetId, amounts, randomSecrets),

    async swap({ keysetId, inputs, keep, send }) {
      // SECURITY: this mint must not learn the secrets of another mint's proofs.
      if (inputs.some(({ id }) => keysets.isForeign(id))) throw foreignKeysetError();
      if (!(await keysets.isListed(keysetId))) {
        throw new MintError('refused', 'The mint no longer lists the keyset of these outputs.');
      }
      const keyset = await keysets.withKeys(keysetId);
      const requireDleq = await mustSendDleq();
      const outputs = [...keep, ...send];
      requireFew('inputs', inputs.length);
      requireFew('outputs', outputs.length);
      // Sort by amount, so that the mint can't tell which outputs leave in a token.
      const order = [...outputs.keys()].sort((a, b) => amountOf(outputs[a]) - amountOf(outputs[b]));
      const sorted = order.flatMap((at) => outputs[at] ?? []);
      const signatures = await api.swap(inputs, sorted);
      if (signatures.length !== sorted.length) {
        throw new MintError(
          'invalid',
          `The mint sent ${signatures.length} signatures for ${sorted.length} outputs.`,
        );
      }
      const turn = createCurveTurns();
      const proofs: Proof[] = [];
      for (const [place, output] of sorted.entries()) {
        const signature = signatures[place];
        if (!signature || signature.amount !== amountOf(output) || (requireDleq && !signature.dleq)) {
          throw new MintError('invalid', 'The mint sent a signature that doesn’t match the wallet’s output.');
        }
        proofs[order[place] ?? place] = verifiedProof(output, signature, keyset);
        await turn();
      }
      return { keep: proofs.slice(0, keep.length), send: proofs.slice(keep.length) };
    },

    states,

    async restore(keysetId, outputs) {
      const restored = await askRestore(outputs);
      if (!restored.some((entry) => entry)) return outputs.map(() => null);
      const keyset = await keysets.withKeys(keysetId);
      // The mint just signed these. Only a search with backup words finds signatures from before the mint had DLEQ.
      const requireDleq = supportsDleq ?? (await info()).supportsDleq;
      const turn = createCurveTurns();
      const proofs: (Proof | null)[] = [];
      for (const [at, output] of outputs.entries()) {
        const entry = restored[at];
        if (entry && (!entry.signature || (requireDleq && !entry.signature.dleq))) {
          throw new MintError('invalid', 'The mint restored a signature that the wallet can’t verify.');
        }
        proofs.push(entry?.signature ? verifiedProof(output, entry.signature, keyset) : null);
        await turn();
      }
      return proofs;
    },

    scan: createScan({
      curve,
      withKeys: keysets.withKeys,
      deriverOf,
      askRestore,
      batchSize: restoreBatches.size,
    }),

    async encode(proofs, memo) {
      return getEncodedToken({
        mint: mintUrl,
        unit: 'sat',
        proofs: proofs.map(toCashu),
        ...(memo ? { memo } : {}),
      });
    },

    request: async (amount) =>
      new PaymentRequest(undefined, undefined, amount, 'sat', [mintUrl])
        .toEncodedCreqA()
        // NUT-18 needs the url-safe alphabet, which cashu-ts uses only from version 4.10.1 on.
        .replaceAll('+', '-')
        .replaceAll('/', '_'),

    info: async () => (await info()).info,

    async offer() {
      const response = await info();
      const active = (await api.keysets()).filter((keyset) => keyset.active);
      const units = [...new Set(active.map(({ unit }) => unit))].map(shortWords).slice(0, MOST_UNITS);
      const { output } = await keysets.list(true);
      return {
        info: response.info,
        units,
        lacks: [...(output ? [] : (['sat'] as const)), ...response.lacks],
      };
    },

    async close() {},
  };
};

const amountOf = (output: Output | undefined): number => Number(output?.blindedMessage.amount);
