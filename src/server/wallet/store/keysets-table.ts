import type { KeysetKeys } from '../mint/mint.ts';
import type { Database } from './sqlite.ts';

interface KeysetRow {
  id: string;
  active: number;
  input_fee_ppk: number;
  final_expiry: number | null;
  keys: string;
}

/** The keysets that the mint listed, with their keys: a mint that drops its keys must not strand what it signed. */
export const createKeysetsTable = (database: Database) => ({
  storedKeysets: (): KeysetKeys[] =>
    database.all<KeysetRow>('SELECT * FROM keysets').map((row) => ({
      id: row.id,
      active: row.active === 1,
      inputFeePpk: row.input_fee_ppk,
      ...(row.final_expiry === null ? {} : { finalExpiry: row.final_expiry }),
      keys: JSON.parse(row.keys),
    })),
  storeKeysets: (keysets: readonly KeysetKeys[]) =>
    database.transaction(() => {
      for (const { id, active, inputFeePpk, finalExpiry, keys } of keysets) {
        database.run(
          'INSERT OR REPLACE INTO keysets VALUES (?, ?, ?, ?, ?)',
          id,
          active ? 1 : 0,
          inputFeePpk,
          finalExpiry ?? null,
          JSON.stringify(keys),
        );
      }
    }),
});
