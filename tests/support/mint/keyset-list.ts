import { type Keyset, type KeysetSpec, makeKeyset, publicKeys } from './keyset.ts';
import { CODES, MintError } from './protocol.ts';
import type { KeysetRow, MintStore } from './store.ts';

/** The new keyset of a rotation, and what happens to the old ones of its unit. */
export interface RotateOptions extends KeysetSpec {
  /** Drop the old ones from the lists. */
  hideOld?: boolean;
  /** Leave the old ones active. */
  keepOld?: boolean;
  /** The expiry, in seconds from the mint's time. */
  expiresInSeconds?: number;
}

/** The parts of a keyset that can change. */
export interface KeysetChange {
  active?: boolean;
  /** False: the mint no longer knows it, or its proofs. */
  listed?: boolean;
  /** False: `/v1/keys` and `/v1/keys/:id` no longer return its keys. It stays listed and usable. */
  keysServed?: boolean;
  /** Only for a keyset of version 1, whose id doesn't cover the fee. */
  inputFeePpk?: number;
}

const fromRow = (seed: string, row: KeysetRow): Keyset => ({
  ...makeKeyset(seed, row.idx, {
    unit: row.unit,
    version: row.version === 1 ? 1 : 2,
    inputFeePpk: row.input_fee_ppk,
    ...(row.final_expiry === null ? {} : { finalExpirySeconds: row.final_expiry }),
    unverifiable: row.unverifiable === 1,
    active: row.active === 1,
  }),
  listed: row.listed === 1,
  keysServed: row.keys_served === 1,
});

const toRow = (keyset: Keyset): KeysetRow => ({
  idx: keyset.index,
  unit: keyset.unit,
  version: keyset.version,
  input_fee_ppk: keyset.inputFeePpk,
  final_expiry: keyset.finalExpirySeconds ?? null,
  unverifiable: keyset.unverifiable ? 1 : 0,
  active: keyset.active ? 1 : 0,
  listed: keyset.listed ? 1 : 0,
  keys_served: keyset.keysServed ? 1 : 0,
});

const toWire = (keyset: Keyset) => {
  const expiry = keyset.unverifiable ? 0 : keyset.finalExpirySeconds;
  return {
    id: keyset.id,
    unit: keyset.unit,
    active: keyset.active,
    input_fee_ppk: keyset.inputFeePpk,
    ...(expiry === undefined ? {} : { final_expiry: expiry }),
  };
};

/** The keysets of a mint (NUT-01, NUT-02), with the answers about them prepared as text. */
export const createKeysetList = (store: MintStore, first: KeysetSpec[], now: () => number) => {
  const all = new Map<string, Keyset>();
  const keysText = new Map<string, string>();
  let activeText = '';
  let listText = '';

  const refresh = () => {
    const listed = [...all.values()].filter((keyset) => keyset.listed);
    listText = JSON.stringify({ keysets: listed.map(toWire) });
    keysText.clear();
    const served = listed.filter((keyset) => keyset.keysServed);
    for (const keyset of served) {
      keysText.set(keyset.id, JSON.stringify({ ...toWire(keyset), keys: publicKeys(keyset.keys) }));
    }
    const active = served.filter((keyset) => keyset.active).map((keyset) => keysText.get(keyset.id));
    activeText = `{"keysets":[${active.join(',')}]}`;
  };

  const put = (changed: Keyset[]) => {
    store.putKeysets(changed.map(toRow));
    for (const keyset of changed) all.set(keyset.id, keyset);
    refresh();
  };

  const rows = store.keysets();
  for (const row of rows) {
    const keyset = fromRow(store.seed, row);
    all.set(keyset.id, keyset);
  }
  if (rows.length === 0) put(first.map((spec, index) => makeKeyset(store.seed, index, spec)));
  refresh();

  /** A keyset that the mint still knows. */
  const known = (id: string): Keyset => {
    const keyset = all.get(id);
    if (!keyset?.listed) throw new MintError(CODES.keysetUnknown, `Keyset ${id} is not known`);
    return keyset;
  };

  const requireUnexpired = (keyset: Keyset): Keyset => {
    if (keyset.finalExpirySeconds !== undefined && keyset.finalExpirySeconds <= now()) {
      throw new MintError(CODES.keysetExpired, `Keyset ${keyset.id} has expired`);
    }
    return keyset;
  };

  return {
    all: (): Keyset[] => [...all.values()],
    /** A keyset, listed or not. */
    any: (id: string): Keyset => {
      const keyset = all.get(id);
      if (!keyset) throw new Error(`no keyset ${id}`);
      return keyset;
    },
    /** A keyset whose proofs can be spent. */
    usable: (id: string): Keyset => requireUnexpired(known(id)),
    /** A keyset that signs. */
    signing: (id: string): Keyset => {
      const keyset = known(id);
      if (!keyset.active) throw new MintError(CODES.keysetInactive, `Keyset ${id} is inactive`);
      return requireUnexpired(keyset);
    },
    /** The newest active keyset of a unit. */
    newest: (unit: string): Keyset => {
      const keyset = [...all.values()].findLast((one) => one.unit === unit && one.active && one.listed);
      if (!keyset) throw new Error(`no active keyset of unit ${unit}`);
      return keyset;
    },
    rotate: ({ hideOld = false, keepOld = false, expiresInSeconds, ...spec }: RotateOptions = {}): Keyset => {
      const expiry =
        expiresInSeconds === undefined ? {} : { finalExpirySeconds: Math.floor(now()) + expiresInSeconds };
      const made = makeKeyset(store.seed, all.size, { ...spec, ...expiry });
      const old = [...all.values()].filter(({ unit }) => unit === made.unit);
      const retired = old.map((keyset) => ({
        ...keyset,
        active: keyset.active && keepOld,
        listed: keyset.listed && !hideOld,
      }));
      put([...retired, made]);
      return made;
    },
    change: (id: string, change: KeysetChange) => {
      const keyset = all.get(id);
      if (!keyset) throw new Error(`no keyset ${id}`);
      if (change.inputFeePpk !== undefined && keyset.version !== 1)
        throw new Error('the id of this keyset covers its fee');
      put([{ ...keyset, ...change }]);
    },
    units: () => [...new Set([...all.values()].map(({ unit }) => unit))],
    /** The answer to `/v1/keysets`. */
    listText: () => listText,
    /** The answer to `/v1/keys`. */
    activeKeysText: () => activeText,
    /** The answer to `/v1/keys/:id`. */
    keysText: (id: string) => {
      const text = keysText.get(known(id).id);
      if (text === undefined) throw new MintError(CODES.keysetUnknown, `Keyset ${id} is not known`);
      return `{"keysets":[${text}]}`;
    },
  };
};

export type KeysetList = ReturnType<typeof createKeysetList>;
