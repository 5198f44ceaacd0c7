import { derivationOf } from '../mint/keyset-derivation.ts';
import type { KeysetKeys } from '../mint/mint.ts';
import type { Database } from './sqlite.ts';

interface KeysetRow {
  id: string;
  active: number;
  input_fee_ppk: number;
  final_expiry: number | null;
  keys: string;
}

/** The most keysets that a mint can own. SECURITY: it could otherwise fill the database with made-up ones. */
const MOST_OWNED = 10_000;

/** Makes a mint the owner of a keyset's derivation, unless another one is. Returns whether the mint owns it now. */
const claimOne = (database: Database, mint: number, id: string): boolean => {
  const derivation = derivationOf(id);
  database.run(
    `INSERT OR IGNORE INTO keyset_owners SELECT ?, ?
     WHERE (SELECT count(*) FROM keyset_owners WHERE mint = ?) < ?`,
    derivation,
    mint,
    mint,
    MOST_OWNED,
  );
  const owner = database.get<{ mint: number }>(
    'SELECT mint FROM keyset_owners WHERE derivation = ?',
    derivation,
  );
  return owner?.mint === mint;
};

/**
 * Claims the keysets that an earlier version used, for the first mint that has them. Forgets what the other mints
 * learned about them.
 */
export const claimUsedKeysets = (database: Database): void =>
  database.transaction(() => {
    const used = database.all<{ mint: number; id: string }>(
      `SELECT mint, id FROM keysets
       UNION SELECT mint, keyset_id FROM sums WHERE keyset_id <> ''
       UNION SELECT mint, keyset_id FROM counters
       UNION SELECT mint, keyset_id FROM restore_positions
       ORDER BY mint`,
    );
    for (const { mint, id } of used) {
      if (!claimOne(database, mint, id))
        database.run('DELETE FROM keysets WHERE mint = ? AND id = ?', mint, id);
    }
  });

/** Creates the table of the mint's keysets with their keys, so that proofs stay usable if the mint drops the keys. */
export const createKeysetsTable = (database: Database, mint: number) => {
  const claimed = new Set<string>();
  return {
    all: (): KeysetKeys[] =>
      database.all<KeysetRow>('SELECT * FROM keysets WHERE mint = ?', mint).map((row) => ({
        id: row.id,
        active: row.active === 1,
        inputFeePpk: row.input_fee_ppk,
        ...(row.final_expiry === null ? {} : { finalExpiry: row.final_expiry }),
        keys: JSON.parse(row.keys),
      })),
    store: (keysets: readonly KeysetKeys[]) =>
      database.transaction(() => {
        for (const { id, active, inputFeePpk, finalExpiry, keys } of keysets) {
          database.run(
            'INSERT OR REPLACE INTO keysets VALUES (?, ?, ?, ?, ?, ?)',
            mint,
            id,
            active ? 1 : 0,
            inputFeePpk,
            finalExpiry ?? null,
            JSON.stringify(keys),
          );
        }
      }),
    /** Returns whether no mint owns one of these keysets. */
    isAnyNew: (ids: readonly string[]): boolean =>
      ids.some(
        (id) =>
          !claimed.has(id) &&
          database.get('SELECT 1 FROM keyset_owners WHERE derivation = ?', derivationOf(id)) === undefined,
      ),
    /** Makes this mint the owner of keysets that no mint owns. Returns those that another mint owns. */
    claim(ids: readonly string[]): string[] {
      const unknown = ids.filter((id) => !claimed.has(id));
      if (unknown.length === 0) return [];
      const foreign = database.transaction(() => unknown.filter((id) => !claimOne(database, mint, id)));
      for (const id of unknown) if (!foreign.includes(id)) claimed.add(id);
      return foreign;
    },
    /** Returns the derivations of other mints' keysets. */
    foreign: (): string[] =>
      database
        .all<{ derivation: string }>('SELECT derivation FROM keyset_owners WHERE mint <> ?', mint)
        .map(({ derivation }) => derivation),
    /** Returns the address of the mint that owns a keyset. */
    ownerOf: (id: string): string | undefined =>
      database.get<{ url: string }>(
        'SELECT url FROM keyset_owners JOIN mints ON mints.id = mint WHERE derivation = ?',
        derivationOf(id),
      )?.url,
  };
};
