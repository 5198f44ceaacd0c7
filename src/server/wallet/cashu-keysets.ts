import { setTimeout as sleep } from 'node:timers/promises';
import { Keyset as CashuKeyset, type Mint as CashuTsMint, CTSError, Wallet } from '@cashu/cashu-ts';
import { type Keyset, type Keysets, MintError, TokenError } from './mint.ts';

/** Several may ask for keysets that are unknown; the mint is asked for new ones this often at most. */
const KEYSET_REFRESH_MS = 1_000;

/** Runs a task on an answer; whatever cashu-ts finds wrong with it becomes a {@link MintError} `invalid`. */
export const checked = async <T>(task: () => T | Promise<T>): Promise<T> => {
  try {
    return await task();
  } catch (error) {
    if (error instanceof MintError || error instanceof TokenError) throw error;
    // cashu-ts's own words may hold proofs; ours do not. Others than CTSError come from its curve library.
    const what = error instanceof CTSError ? 'is not what a mint may answer' : 'cannot be read';
    throw new MintError('invalid', `What the mint answered ${what}.`);
  }
};

/** The keysets of a mint, as cashu-ts holds them. */
export interface CashuKeysets {
  /** A wallet of cashu-ts with the keysets as they were last loaded; loads them when they never were. */
  wallet(): Promise<Wallet>;
  list(refresh: boolean): Promise<Keysets>;
  /** A keyset with its keys, verified by its id; also one that is inactive or no longer listed. */
  withKeys(id: string): Promise<CashuKeyset>;
  /** The whole ids of ids that may be short (NUT-02). Throws {@link TokenError} `unknown_keyset`. */
  resolve(ids: Iterable<string>): Promise<ReadonlyMap<string, string>>;
}

/** Makes the {@link CashuKeysets} of a mint. */
export const createCashuKeysets = (mint: CashuTsMint): CashuKeysets => {
  let loading: Promise<Wallet> | undefined;
  let loadedAt = Number.NEGATIVE_INFINITY;
  const load = (): Promise<Wallet> => {
    // A wallet of cashu-ts stays with the keyset it found first, also when that is gone; so each load makes a new one.
    const fresh = new Wallet(mint, { unit: 'sat', requireSigDleq: true });
    const before = loading;
    const mine: Promise<Wallet> = checked(async () => {
      await fresh.loadMint(true);
      loadedAt = performance.now();
      return fresh;
    });
    loading = mine;
    mine.catch(() => {
      if (loading === mine) loading = before;
    });
    return mine;
  };
  const wallet = () => loading ?? load();

  const withKeys = async (keysetId: string): Promise<CashuKeyset> => {
    const { keyChain } = await wallet();
    return checked(async () => {
      if (keyChain.getAllKeysetIds().includes(keysetId)) return keyChain.ensureKeysetKeys(keysetId);
      // The mint no longer lists it, but may still tell its keys, and they prove themselves by the id.
      const keys = (await mint.getKeys(keysetId)).keysets.find(({ id }) => id === keysetId);
      if (!keys) throw new MintError('invalid', 'The mint no longer tells the keys of one of its keysets.');
      const keyset = CashuKeyset.fromMintApi({ ...keys, active: false }, keys);
      if (!keyset.verify()) throw new MintError('invalid', "A keyset's keys do not fit its id.");
      return keyset;
    });
  };

  const outputKeysetId = ({ keyChain }: Wallet): string | undefined => {
    try {
      return keyChain.getCheapestKeyset().id;
    } catch {
      return undefined;
    }
  };

  const satKeysets = ({ keyChain }: Wallet): CashuKeyset[] => {
    try {
      return keyChain.getKeysets();
    } catch {
      return [];
    }
  };

  const describeKeyset = (keyset: CashuKeyset): Keyset => ({
    id: keyset.id,
    active: keyset.isActive,
    inputFeePpk: keyset.fee,
    ...(keyset.expiry === undefined ? {} : { finalExpiry: keyset.expiry }),
  });

  let soon: Promise<Wallet> | undefined;
  /**
   * Loads anew for ids that are not known, all who ask together, and not sooner than a while after the last time.
   * SECURITY: tokens of keysets that nobody has must not make us ask the mint without end.
   */
  const loadSoon = (): Promise<Wallet> => {
    const waitMs = Math.max(0, loadedAt + KEYSET_REFRESH_MS - performance.now());
    soon ??= sleep(waitMs)
      .then(load)
      .finally(() => {
        soon = undefined;
      });
    return soon;
  };

  /** The keyset a proof's id means: whole, or the beginning of one of version 2 (NUT-02). */
  const resolveId = (id: string, known: readonly string[]): string | undefined => {
    if (known.includes(id)) return id;
    if (!id.startsWith('01')) return undefined;
    const matches = known.filter((each) => each.startsWith(id));
    return matches.length === 1 ? matches[0] : undefined;
  };

  const resolve = async (proofIds: Iterable<string>): Promise<Map<string, string>> => {
    const ids = new Set(proofIds);
    const lookUp = (from: Wallet) => {
      const known = satKeysets(from).map(({ id }) => id);
      return new Map([...ids].flatMap((id) => [[id, resolveId(id, known)] as const]));
    };
    let found = lookUp(await wallet());
    if ([...found.values()].includes(undefined)) found = lookUp(await loadSoon());
    const known = new Map<string, string>();
    for (const [id, whole] of found) {
      if (whole === undefined) throw new TokenError('unknown_keyset');
      known.set(id, whole);
    }
    return known;
  };

  return {
    wallet,
    withKeys,
    resolve,
    async list(refresh) {
      const from = await (refresh ? load() : wallet());
      return { all: satKeysets(from).map(describeKeyset), outputId: outputKeysetId(from) };
    },
  };
};
