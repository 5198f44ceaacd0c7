import { z } from 'zod';
import type { MintNeed } from '../../../shared/api/wallet.ts';
import { MintError, type MintInfo, type Output, type Proof, type ProofState } from './mint.ts';
import { requestMint } from './mint-http.ts';
import { shortWords } from './mint-refusal.ts';

/** A blind signature as the mint sent it (NUT-00). Its DLEQ proof is unchecked, including its format. */
export interface BlindSignature {
  id: string;
  amount: number;
  C_: string;
  dleq?: { e: string; s: string } | undefined;
}

/** A keyset in the mint's list (NUT-02). */
export interface ListedKeyset {
  id: string;
  unit: string;
  active: boolean;
  inputFeePpk: number;
  finalExpiry?: number;
  /** False if the fee or the expiry isn't a valid number. */
  isReadable: boolean;
}

/** A keyset's keys (NUT-01), not yet verified, with the mint's metadata about the keyset. */
export interface ListedKeys extends Omit<ListedKeyset, 'active'> {
  keys: Record<string, string>;
}

/** An output that the mint restored, with its signature (NUT-09). */
export interface RestoredOutput {
  /** The `B_` of each output, in lowercase. */
  blinded: string;
  /** Undefined if it doesn't have a signature's format. */
  signature: BlindSignature | undefined;
}

const dleqProof = z.object({ e: z.string(), s: z.string() });
const blindSignature = z.object({
  id: z.string(),
  amount: z.int().nonnegative(),
  C_: z.string().regex(/^0[23][0-9a-f]{64}$/i),
  dleq: z
    .unknown()
    .optional()
    // A malformed DLEQ proof is invalid, unlike a missing one.
    .transform((dleq) => (dleq == null ? undefined : (dleqProof.safeParse(dleq).data ?? { e: '', s: '' }))),
});

const count = z.int().nonnegative().nullish();
const listedKeyset = z.object({ id: z.string(), unit: z.string(), active: z.boolean() });
const listedKeys = z.object({
  id: z.string(),
  unit: z.string().default('sat'),
  keys: z.record(z.string(), z.string()),
});
/** The highest fee that a keyset can have, in ppk: 1,000 sats for a proof. SECURITY: what we calculate from it stays small. */
const MOST_FEE_PPK = 1_000_000;
const fee = z.int().nonnegative().max(MOST_FEE_PPK).nullish();
const metadata = z.object({ input_fee_ppk: fee, final_expiry: count });
const keysetsResponse = z.object({ keysets: z.array(z.unknown()) });

const proofState = z.object({ Y: z.string(), state: z.enum(['UNSPENT', 'PENDING', 'SPENT']) });
const statesResponse = z.object({ states: z.array(proofState) });
const swapResponse = z.object({ signatures: z.array(blindSignature) });
const restoreResponse = z.object({
  outputs: z.array(z.object({ B_: z.string() })),
  signatures: z.array(z.unknown()),
});
const infoResponse = z.record(z.string(), z.unknown());
const supportsNut = (response: unknown, nut: number): boolean =>
  z.object({ nuts: z.object({ [nut]: z.object({ supported: z.literal(true) }) }) }).safeParse(response)
    .success;
const NEEDED_NUTS = { 'NUT-07': 7, 'NUT-09': 9 } as const;

/** Reads a keyset's fee and expiry. Zero means none (NUT-02, "Deriving the keyset ID"). */
const readMetadata = (entry: unknown) => {
  const read = metadata.safeParse(entry);
  if (!read.success) return { inputFeePpk: 0, isReadable: false };
  const { input_fee_ppk: ppk, final_expiry: expiry } = read.data;
  return { inputFeePpk: ppk ?? 0, ...(expiry ? { finalExpiry: expiry } : {}), isReadable: true };
};

/** Skips entries without a keyset's format, so that one of them doesn't hide the others. */
const readEntries = <T extends object>(schema: z.ZodType<T>, entries: readonly unknown[]) =>
  entries.flatMap((entry) => {
    const read = schema.safeParse(entry);
    return read.success ? [{ ...read.data, ...readMetadata(entry) }] : [];
  });

/** Reads a response. Throws {@link MintError} `invalid` if anything is wrong with it. */
export const readResponse = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof MintError) throw error;
    // SECURITY: messages from libraries may contain proofs.
    throw new MintError('invalid', 'The mint sent an invalid response.', { isUnknownFormat: true });
  }
};

/** A secret with conditions is JSON (NUT-10). */
const MAY_HAVE_CONDITIONS = /^\s*\[/;

const toWireProof = ({ id, amount, secret, C, witness }: Proof) => ({
  id,
  amount,
  secret,
  C,
  // Mints refuse a witness for a secret without conditions.
  ...(witness !== undefined && MAY_HAVE_CONDITIONS.test(secret) ? { witness } : {}),
});

const toWireOutput = ({ blindedMessage: { amount, B_, id } }: Output) => ({ amount: Number(amount), B_, id });

/** Creates the mint requests that the wallet uses. They check the format of responses, but not signatures. */
export const createMintApi = (mintUrl: string, timeoutMs?: number) => {
  const base = mintUrl.replace(/\/+$/, '');

  const get = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => {
    const text = await requestMint({ url: `${base}${path}`, method: 'GET' }, timeoutMs);
    return readResponse(() => schema.parse(JSON.parse(text)));
  };
  const post = async <T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> => {
    const request = { url: `${base}${path}`, method: 'POST', body: JSON.stringify(body) };
    const text = await requestMint(request, timeoutMs);
    return readResponse(() => schema.parse(JSON.parse(text)));
  };

  return {
    /** Fetches all keysets (NUT-02). */
    keysets: async (): Promise<ListedKeyset[]> =>
      readEntries(listedKeyset, (await get('/v1/keysets', keysetsResponse)).keysets),

    /** Fetches the keys of all active keysets, or of one keyset (NUT-01). */
    async keys(keysetId?: string): Promise<ListedKeys[]> {
      // Early mints have base64 ids, which a path can't contain.
      const path = keysetId === undefined ? '' : `/${keysetId.replaceAll('/', '_').replaceAll('+', '-')}`;
      return readEntries(listedKeys, (await get(`/v1/keys${path}`, keysetsResponse)).keysets);
    },

    /**
     * Fetches the mint's information about itself (NUT-06), whether it sends DLEQ proofs (NUT-12), missing NUTs, and how
     * many items a list in a request can have.
     */
    async info(): Promise<{
      info: MintInfo;
      supportsDleq: boolean;
      lacks: MintNeed[];
      mostItems: number | undefined;
    }> {
      const response = await get('/v1/info', infoResponse);
      const { name, version, motd } = response;
      const words = Object.entries({ name, version, motd }).filter(
        ([, text]) => typeof text === 'string' && text,
      );
      return {
        info: Object.fromEntries(words.map(([key, text]) => [key, shortWords(String(text))])),
        supportsDleq: supportsNut(response, 12),
        mostItems: z.int().positive().safeParse(response.max_array_length).data,
        lacks: (['NUT-07', 'NUT-09'] as const).filter((need) => !supportsNut(response, NEEDED_NUTS[need])),
      };
    },

    /** Swaps inputs for signatures of the outputs, in their order (NUT-03). */
    async swap(inputs: readonly Proof[], outputs: readonly Output[]): Promise<BlindSignature[]> {
      const body = { inputs: inputs.map(toWireProof), outputs: outputs.map(toWireOutput) };
      return (await post('/v1/swap', body, swapResponse)).signatures;
    },

    /** Fetches the states of proofs, in the requested order (NUT-07). */
    async states(ys: readonly string[]): Promise<ProofState[]> {
      const { states } = await post('/v1/checkstate', { Ys: ys }, statesResponse);
      const byY = new Map(states.map(({ Y, state }) => [Y.toLowerCase(), state]));
      return ys.map((y) => {
        const state = byY.get(y);
        if (state === undefined) throw new MintError('invalid', 'The mint left out the state of a proof.');
        return state;
      });
    },

    /** Fetches the signatures that the mint made for these outputs (NUT-09). */
    async restore(outputs: readonly Output[]): Promise<RestoredOutput[]> {
      const response = await post('/v1/restore', { outputs: outputs.map(toWireOutput) }, restoreResponse);
      if (response.outputs.length !== response.signatures.length) {
        throw new MintError(
          'invalid',
          `The mint restored ${response.signatures.length} signatures for ${response.outputs.length} outputs.`,
        );
      }
      return response.outputs.map(({ B_ }, at) => ({
        blinded: B_.toLowerCase(),
        signature: blindSignature.safeParse(response.signatures[at]).data,
      }));
    },
  };
};

/** The requests of a mint. */
export type MintApi = ReturnType<typeof createMintApi>;

/** Many mints refuse more items in one request. */
const MAX_BATCH = 100;

/** Statuses for which a smaller request wouldn't help: not signed in, forbidden, no such endpoint. */
const NOT_ABOUT_SIZE = [401, 403, 404, 405];

/** Returns the size to try after a refusal. Undefined if a smaller request would be refused too. */
const smallerSize = (error: unknown, size: number): number | undefined => {
  if (!(error instanceof MintError) || error.kind !== 'refused' || size < 2) return undefined;
  const { limit, status } = error.details;
  if (limit?.most !== undefined && limit.most < size) return limit.most;
  return limit || !NOT_ABOUT_SIZE.includes(status ?? 0) ? Math.ceil(size / 2) : undefined;
};

/** Splits requests with many items into batches as large as the mint accepts. */
export const createBatches = () => {
  let most = MAX_BATCH;

  const inParts = async <T, A>(
    items: readonly T[],
    size: number,
    send: (part: readonly T[]) => Promise<A[]>,
  ): Promise<A[]> => {
    const responses: A[] = [];
    for (let start = 0; start < items.length; start += size) {
      const part = items.slice(start, start + size);
      try {
        responses.push(...(await send(part)));
      } catch (error) {
        const smaller = smallerSize(error, part.length);
        if (smaller === undefined) throw error;
        responses.push(...(await inParts(part, smaller, send)));
        // All parts succeeded, so the mint refused the size and not one of the items.
        most = Math.min(most, smaller);
      }
    }
    return responses;
  };

  return {
    /** Returns the largest batch that the mint is known to accept. */
    size: () => most,
    /** Never sends larger batches again. */
    limit: (size: number): void => {
      most = Math.min(most, size);
    },
    /** Requests all items, in smaller batches if the mint refuses the size. Remembers the smaller size. */
    ask: <T, A>(items: readonly T[], send: (part: readonly T[]) => Promise<A[]>): Promise<A[]> =>
      inParts(items, most, send),
  };
};
