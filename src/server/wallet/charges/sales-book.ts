import type { SaleReport } from '../../../shared/sale-terms.ts';
import type { Owner } from '../store/owner.ts';
import type { SalesTable, SaleTotals, StoredSale } from '../store/sales-table.ts';

/** A paid request without its place in the list. */
type RecordedSale = Omit<StoredSale, 'number'>;

const shown = ({ number: _number, ...sale }: StoredSale): RecordedSale => sale;

/** A page of the paid requests of customers. */
interface SalePage {
  sales: RecordedSale[];
  totals: SaleTotals;
  nextCursor?: string;
}

/** The paid requests of customers, by the owner of their charges. */
export interface SalesBook {
  /** Keeps a report for good. Returns the request, or undefined if it was already reported or isn't the owner's. */
  note(owner: Owner, report: SaleReport): RecordedSale | undefined;
  /** Returns what refunded requests cost their seller since a time, in sats. */
  lostSince(owner: Owner, sinceMs: number): number;
  page(owner: Owner, cursor: string | undefined, limit: number): SalePage;
}

/** Creates the {@link SalesBook} of all mints. */
export const createSalesBook = (table: SalesTable): SalesBook => ({
  note(owner, report) {
    const number = table.add(owner, report);
    const [sale] = number === undefined ? [] : table.page(owner, number + 1, 1);
    return sale && shown(sale);
  },
  lostSince: table.lostSince,
  page(owner, cursor, limit) {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const found = table.page(owner, before, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      sales: page.map(shown),
      totals: table.totals(owner),
      ...(found.length > limit && last ? { nextCursor: String(last.number) } : {}),
    };
  },
});
