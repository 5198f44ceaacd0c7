// Apart from its one user, because the rules of RFC 4180 have nothing to do with routes.
import type { CsvShape } from '../../shared/api/endpoint.ts';

const quote = (value: string | number | null): string => {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Writes the body of an answer as CSV with a header row (RFC 4180). Null becomes an empty field. */
export const toCsv = ({ columns, rows }: CsvShape, body: unknown): Buffer =>
  Buffer.from([columns, ...rows(body)].map((row) => `${row.map(quote).join(',')}\r\n`).join(''));
