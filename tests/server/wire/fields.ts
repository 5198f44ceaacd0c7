/** The fields of a JSON value by their paths, such as `entries[].name`; `?` marks those that not all items have. */
export type Fields = Record<string, string>;

/** Fields whose values are part of the contract: programs compare them. */
const FIXED = [
  'code',
  'exitCode',
  'inWallet',
  'kind',
  'limit',
  'mintCode',
  'origin',
  'protection',
  'reason',
  'rule',
  'seed',
  'setting',
  'severity',
  'state',
  'unit',
  'variable',
  'words',
];
const WORD = /^[\w.-]+$/;
const ISSUE_PATH = 'issues[].path';

const DATE_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const ETAG = /^"[0-9a-f]{64}"$/;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFixed = (path: string, value: unknown): boolean => {
  if (typeof value === 'boolean' || value === null) return true;
  if (path === ISSUE_PATH) return true;
  const name = path.slice(path.lastIndexOf('.') + 1).replace(/\?$/, '');
  return FIXED.includes(name) && WORD.test(String(value));
};

/** What is kept of one value: the value itself where it is fixed, else its type. */
const show = (path: string, value: unknown): string => {
  if (isFixed(path, value)) return String(value);
  if (typeof value !== 'string') return `<${typeof value}>`;
  if (DATE_TIME.test(value)) return '<date-time>';
  return ETAG.test(value) ? '<etag>' : '<string>';
};

const collect = (values: readonly unknown[], path: string, depth: number, into: Fields): void => {
  const records = values.filter(isRecord);
  const lists = values.filter(Array.isArray);
  const scalars = values.filter((value) => !isRecord(value) && !Array.isArray(value));
  const shown = new Set(scalars.map((value) => show(path, value)));
  if (records.some((record) => depth === 0 || Object.keys(record).length === 0)) shown.add('<object>');
  if (lists.some((list) => depth === 0 || list.length === 0)) shown.add('<list>');
  if (shown.size > 0) into[path] = [...shown].sort().join(' | ');
  if (depth === 0) return;
  if (lists.flat().length > 0) collect(lists.flat(), `${path}[]`, depth, into);
  for (const name of new Set(records.flatMap((record) => Object.keys(record)))) {
    const having = records.filter((record) => Object.hasOwn(record, name));
    const optional = having.length < records.length ? '?' : '';
    const below = `${path === '' ? '' : `${path}.`}${name}${optional}`;
    collect(
      having.map((record) => record[name]),
      below,
      depth - 1,
      into,
    );
  }
};

/** The fields of a value, sorted, each with its type or its fixed value. */
export const fieldsOf = (value: unknown, depth = Number.POSITIVE_INFINITY): Fields => {
  const fields: Fields = {};
  collect([value], '', depth, fields);
  delete fields[''];
  return Object.fromEntries(Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1)));
};
