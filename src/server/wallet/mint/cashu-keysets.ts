import { setTimeout as sleep } from 'node:timers/promises';
import { Keyset as CashuKeyset } from '@cashu/cashu-ts';
import { leaveTurn } from '../../platform/work-turns.ts';
import { derivationOf, isHexId } from './keyset-derivation.ts';
import {
  type Keyset,
  type KeysetKeys,
  type Keysets,
  MintError,
  type OutputKeyset,
  TokenError,
} from './mint.ts';
import type { ListedKeys, ListedKeyset, MintApi } from './mint-api.ts';

/**
 * The shortest time between fetches for unknown ids, which doubles while they bring nothing new. SECURITY: tokens with made-up
 * keysets must not use up the requests that the mint allows.
 */
const KEYSET_REFRESH_MS = 1_000;
const LONGEST_REFRESH_MS = 8_000;
/** How long it takes until a fetch is the first one again. */
const REFRESH_FORGOTTEN_MS = 60_000;

/** A short life for a keyset. If possible, new outputs use keysets that last longer. */
const SHORT_LIFE_SECONDS = 7 * 24 * 60 * 60;

/**
 * The most keysets to list. SECURITY: each costs requests, and each active one has keys to verify. A mint needs far
 * fewer.
 */
const MOST_LISTED = 1_000;
const MOST_ACTIVE = 20;

const UNIT = 'sat';

/** A mint's keysets, all in sats. */
export interface CashuKeysets {
  list(refresh: boolean): Promise<Keysets>;
  /** Returns a keyset with its verified keys, even a keyset that is inactive or no longer listed. */
  withKeys(id: string): Promise<KeysetKeys>;
  /** Returns the full ids of ids that may be short (NUT-02). Throws {@link TokenError} `unknown_keyset`. */
  resolve(ids: Iterable<string>): Promise<ReadonlyMap<string, string>>;
  /** Returns the fee for inputs of these keysets in sats, rounded up once (NUT-02). */
  feeOf(ids: readonly string[]): number;
  /** Returns whether the mint lists a keyset. Fetches the list if it was never fetched. */
  isListed(id: string): Promise<boolean>;
  /** Returns whether a keyset belongs to another mint. */
  isForeign(id: string): boolean;
  /** Forgets keysets that belong to other mints. */
  disown(ids: readonly string[]): void;
}

const toKeyset = ({ id, active, inputFeePpk, finalExpiry }: Keyset): Keyset => ({
  id,
  active,
  inputFeePpk,
  ...(finalExpiry === undefined ? {} : { finalExpiry }),
});

/** Returns whether the keys belong to the id (NUT-02). Version 2 ids also cover the fee and the expiry. */
const isVerified = ({ id, active, inputFeePpk, finalExpiry, keys }: KeysetKeys): boolean =>
  CashuKeyset.verifyKeysetId({
    id,
    unit: UNIT,
    active,
    input_fee_ppk: inputFeePpk,
    ...(finalExpiry === undefined ? {} : { final_expiry: finalExpiry }),
    keys,
  });

/** Returns the amounts of a keyset's keys, largest first. Excludes amounts that a wallet can't count. */
const amountsOf = ({ keys }: KeysetKeys): number[] =>
  Object.keys(keys)
    .map(Number)
    .filter((amount) => Number.isSafeInteger(amount) && amount > 0 && Object.hasOwn(keys, amount))
    .sort((a, b) => b - a);

/** Chooses the keyset for new outputs. See {@link Keysets}. */
const chooseOutputKeyset = (keysets: readonly KeysetKeys[], nowSeconds: number): OutputKeyset | undefined => {
  const lifeOf = ({ finalExpiry = Number.POSITIVE_INFINITY }: Keyset) => finalExpiry - nowSeconds;
  const isShort = (keyset: Keyset) => Number(lifeOf(keyset) <= SHORT_LIFE_SECONDS);
  const chosen = keysets
    .filter((keyset) => keyset.active && isHexId(keyset.id) && lifeOf(keyset) > 0)
    .sort(
      (a, b) =>
        isShort(a) - isShort(b) ||
        a.inputFeePpk - b.inputFeePpk ||
        // Compare first, because Infinity minus Infinity isn't a number.
        (lifeOf(a) === lifeOf(b) ? 0 : lifeOf(b) - lifeOf(a)),
    )[0];
  return chosen && { id: chosen.id, amounts: amountsOf(chosen) };
};

/** The error for a request that would use another mint's keyset here. */
export const foreignKeysetError = (): MintError =>
  new MintError('invalid', 'This keyset belongs to another mint, so the wallet doesn’t use it here.');

/** Returns the keyset that a proof's id names: a full id, or the beginning of a version 2 id (NUT-02). */
const resolveId = (id: string, known: readonly string[]): string | undefined => {
  if (known.includes(id)) return id;
  if (!id.startsWith('01')) return undefined;
  const matches = known.filter((each) => each.startsWith(id));
  return matches.length === 1 ? matches[0] : undefined;
};

/**
 * Creates a mint's {@link CashuKeysets}. `stored` keysets are used at once if their keys match their ids. `foreign` are
 * the derivations of other mints' keysets (see {@link derivationOf}).
 *
 * SECURITY: nothing is derived, restored or swapped for a foreign keyset. This mint could otherwise pass our requests
 * on to its mint, and take its sats.
 */
export const createCashuKeysets = (
  api: MintApi,
  stored: readonly KeysetKeys[],
  foreign: readonly string[] = [],
): CashuKeysets => {
  const others = new Set(foreign);
  const isForeign = (id: string): boolean => others.has(derivationOf(id));

  /** Keysets with verified keys. */
  const known = new Map<string, KeysetKeys>();
  /** The keyset data that the caller already has, so that only new data is returned. */
  const reported = new Map<string, string>();
  const summarize = (keyset: Keyset) => JSON.stringify(toKeyset(keyset));
  for (const keyset of stored) {
    if (isForeign(keyset.id) || !isVerified(keyset)) continue;
    known.set(keyset.id, keyset);
    reported.set(keyset.id, summarize(keyset));
  }

  /** The list's entries as the mint sent them. */
  let listings: ReadonlyMap<string, ListedKeyset> = new Map();
  /** The list as the wallet uses it. Undefined until it's loaded. */
  let listed: ReadonlyMap<string, Keyset> | undefined;
  /** The foreign keysets that the mint lists. */
  let claimed: string[] = [];

  /** Stores a keyset if its keys match its id. In version 2, the list's fee and expiry must match too. */
  const learnKeys = (keys: ListedKeys, listing: ListedKeyset | undefined): KeysetKeys | undefined => {
    if (keys.unit !== UNIT || (listing && !listing.isReadable) || (!listing && !keys.isReadable))
      return undefined;
    const keyset = { ...toKeyset({ active: false, ...keys, ...listing }), keys: keys.keys };
    if (!isVerified(keyset)) return undefined;
    known.set(keyset.id, keyset);
    return keyset;
  };

  const loadKeys = async (id: string): Promise<KeysetKeys> => {
    const published = await api.keys(id).catch((error: unknown) => {
      // Don't rethrow, because callers would mistake this error for a refusal of their own request.
      if (error instanceof MintError && error.kind === 'refused') return [];
      throw error;
    });
    const keys = published.find((each) => each.id === id);
    if (!keys) throw new MintError('invalid', 'The mint no longer publishes the keys of one of its keysets.');
    const learned = learnKeys(keys, listings.get(id));
    if (!learned) throw new MintError('invalid', 'The keys of one of the mint’s keysets don’t match its id.');
    return learned;
  };

  /** Loads active keysets' keys. A keyset that can't be verified doesn't stop the others. */
  const loadActiveKeys = async (active: readonly ListedKeyset[]) => {
    const missing = active.filter(({ id }) => !known.has(id));
    if (missing.length === 0) return;
    const published = new Map((await api.keys()).map((keys) => [keys.id, keys]));
    // Load them concurrently, so that a mint that sends keys slowly doesn't delay a receive once for each keyset.
    await Promise.all(
      missing.map(async (listing) => {
        const keys = published.get(listing.id);
        if (keys) learnKeys(keys, listing);
        else await loadKeys(listing.id).catch(() => undefined);
      }),
    );
  };

  /** Applies the list's entry to a known keyset. The fee and expiry change only if they match the id. */
  const update = (keyset: KeysetKeys, listing: ListedKeyset | undefined): KeysetKeys => {
    const listedAs = { ...toKeyset(listing ?? keyset), keys: keyset.keys };
    if (listing?.isReadable && isVerified(listedAs)) return listedAs;
    return { ...keyset, active: listing?.active ?? false };
  };

  /**
   * Returns the entries that the wallet uses. Sorts keysets with known keys first, because the wallet may hold their
   * proofs.
   */
  const limit = (entries: readonly ListedKeyset[]): ListedKeyset[] => {
    const byKnown = [...entries].sort((a, b) => Number(known.has(b.id)) - Number(known.has(a.id)));
    const used = byKnown.slice(0, MOST_LISTED);
    const active = new Set(used.filter((entry) => entry.active).slice(0, MOST_ACTIVE));
    const isUsed = new Set(used);
    return entries
      .filter((entry) => isUsed.has(entry))
      .map((entry) => ({ ...entry, active: active.has(entry) }));
  };

  let loads = 0;
  let newestLoad = 0;
  let applying = Promise.resolve();
  let loadedAt = Number.NEGATIVE_INFINITY;

  const apply = async (mine: number, entries: readonly ListedKeyset[]): Promise<void> => {
    listings = new Map(entries.map((entry) => [entry.id, entry]));
    const active = entries.filter((entry) => entry.active);
    try {
      await loadActiveKeys(active);
    } catch (error) {
      if (!active.some(({ id }) => known.has(id))) throw error;
    }
    if (mine < newestLoad) return applying;
    for (const [id, keyset] of known) known.set(id, update(keyset, listings.get(id)));
    listed = new Map(entries.map((entry) => [entry.id, toKeyset(known.get(entry.id) ?? entry)]));
    loadedAt = performance.now();
  };

  /** Resolves when the list is at least as recent as this call, even if it's from a later load. */
  const load = async (): Promise<void> => {
    const mine = ++loads;
    const inSats = (await api.keysets()).filter(({ unit }) => unit === UNIT);
    // A newer response arrived first, so this one is out of date.
    if (mine < newestLoad) return applying;
    newestLoad = mine;
    claimed = [...new Set(inSats.map(({ id }) => id))].filter(isForeign);
    applying = apply(mine, limit(inSats.filter(({ id }) => !isForeign(id))));
    return applying;
  };

  let first: Promise<void> | undefined;
  const loadOnce = async (): Promise<void> => {
    if (listed) return;
    first ??= load().finally(() => {
      first = undefined;
    });
    await first;
  };

  const loading = new Map<string, Promise<KeysetKeys>>();
  const withKeys = async (id: string): Promise<KeysetKeys> => {
    if (isForeign(id)) throw foreignKeysetError();
    if (!known.has(id)) await loadOnce();
    const keyset = known.get(id);
    if (keyset) return keyset;
    leaveTurn();
    const running = loading.get(id) ?? loadKeys(id).finally(() => loading.delete(id));
    loading.set(id, running);
    return running;
  };

  let soon: Promise<void> | undefined;
  let refreshMs = KEYSET_REFRESH_MS;
  const refresh = async () => {
    const before = performance.now() - loadedAt;
    if (before > REFRESH_FORGOTTEN_MS) refreshMs = KEYSET_REFRESH_MS;
    await sleep(Math.max(0, refreshMs - before));
    const ids = () => [...(listed?.keys() ?? [])].join(' ');
    const idsBefore = ids();
    try {
      await load();
    } finally {
      // A mint that limits or fails isn't asked more often than one that responds.
      loadedAt = performance.now();
      refreshMs = ids() === idsBefore ? Math.min(2 * refreshMs, LONGEST_REFRESH_MS) : KEYSET_REFRESH_MS;
      soon = undefined;
    }
  };
  /** Loads the list once for all concurrent requests with unknown ids. */
  const loadSoon = (): Promise<void> => {
    soon ??= refresh();
    return soon;
  };

  const resolve = async (proofIds: Iterable<string>): Promise<Map<string, string>> => {
    const ids = [...new Set(proofIds)];
    const lookUp = () => {
      const all = [...new Set([...known.keys(), ...(listed?.keys() ?? [])])];
      return ids.map((id) => [id, resolveId(id, all)] as const);
    };
    const isIncomplete = (found: ReturnType<typeof lookUp>) => found.some(([, whole]) => whole === undefined);
    let found = lookUp();
    if (isIncomplete(found)) {
      // SECURITY: tokens with made-up keysets wait for seconds, and must not hold up the others.
      leaveTurn();
      await (listed ? loadSoon() : loadOnce());
      found = lookUp();
    }
    const whole = new Map<string, string>();
    for (const [id, wholeId] of found) {
      if (wholeId === undefined) throw new TokenError('unknown_keyset');
      whole.set(id, wholeId);
    }
    return whole;
  };

  const learn = (): KeysetKeys[] => {
    const learned = [...known.values()].filter((keyset) => reported.get(keyset.id) !== summarize(keyset));
    for (const keyset of learned) reported.set(keyset.id, summarize(keyset));
    return learned;
  };

  return {
    withKeys,
    resolve,

    feeOf(ids) {
      const ppk = ids.reduce(
        (sum, id) => sum + (known.get(id)?.inputFeePpk ?? listed?.get(id)?.inputFeePpk ?? 0),
        0,
      );
      return Math.ceil(ppk / 1000);
    },

    async isListed(id) {
      await loadOnce();
      return listed?.has(id) ?? false;
    },

    isForeign,

    disown(ids) {
      for (const id of ids) others.add(derivationOf(id));
      for (const id of [...known.keys()].filter(isForeign)) known.delete(id);
      claimed = [...claimed, ...[...(listed?.keys() ?? [])].filter(isForeign)];
      if (listed) listed = new Map([...listed].filter(([id]) => !isForeign(id)));
    },

    async list(refresh) {
      if (refresh) await load();
      else if (known.size === 0) await loadOnce();
      const all = listed ? [...listed.values()] : [...known.values()].map(toKeyset);
      const usable = all.flatMap((keyset) => {
        const keys = known.get(keyset.id)?.keys;
        return keys ? { ...keyset, keys } : [];
      });
      return {
        all,
        output: chooseOutputKeyset(usable, Date.now() / 1000),
        learned: learn(),
        ...(claimed.length > 0 ? { foreign: claimed } : {}),
      };
    },
  };
};
