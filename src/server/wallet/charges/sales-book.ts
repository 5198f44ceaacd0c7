import type { SaleReport } from '../../../shared/sale-terms.ts';
import type { Owner } from '../store/owner.ts';
import type { SalesTable, SaleTotals, StoredSale } from '../store/sales-table.ts';

/** A page of the paid requests of customers. */
interface SalePage {
  sales: StoredSale[];
  totals: SaleTotals;
  nextCursor?: string;
}

/** The paid requests of customers, by the owner of their charges. */
export interface SalesBook {
  /** Keeps a report for good. Returns the request, or undefined if it was already reported or isn't the owner's. */
  note(owner: Owner, report: SaleReport): StoredSale | undefined;
  page(owner: Owner, cursor: string | undefined, limit: number): SalePage;
}

/** Creates the {@link SalesBook} of all mints. */
export const createSalesBook = (table: SalesTable): SalesBook => ({
  note(owner, report) {
    const number = table.add(owner, report);
    return number === undefined ? undefined : table.page(owner, number + 1, 1)[0];
  },
  page(owner, cursor, limit) {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const found = table.page(owner, before, limit + 1);
    const sales = found.slice(0, limit);
    const last = sales.at(-1);
    return {
      sales,
      totals: table.totals(owner),
      ...(found.length > limit && last ? { nextCursor: String(last.number) } : {}),
    };
  },
});
