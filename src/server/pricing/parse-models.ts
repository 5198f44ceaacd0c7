import { type AnyNode, type ObjectNode, parse } from '@humanwhocodes/momoa';
import type { ModelPrice } from '../../shared/api/pricing.ts';
import { isJsonObject } from '../../shared/json-object.ts';
import { isPrice, MOST_USD_PER_MILLION } from '../../shared/price-math.ts';

/** Models by name. A map, because `__proto__` can be a name. */
export type Models = ReadonlyMap<string, ModelPrice>;

/**
 * The models in a file's text. `problem` is a sentence with each problem's line. If `models` is missing, the text is
 * unusable.
 */
interface ParsedModels {
  models: Models | undefined;
  problem: string | undefined;
}

const FIELDS = ['input_usd_per_million', 'output_usd_per_million'] as const;

const CACHE_FIELDS = ['cache_read_usd_per_million', 'cache_write_usd_per_million'] as const;

/** A field that states a cost. dot-mi doesn't ignore one that it doesn't know, because work would then be too cheap. */
const COST_FIELD = /usd|cost|tiers/i;

const pricesProblem = (row: Record<string, unknown>): string | undefined => {
  const bad =
    FIELDS.find((field) => !isPrice(row[field])) ??
    CACHE_FIELDS.find((field) => row[field] !== undefined && !isPrice(row[field]));
  return bad && `${bad} must be a number from 0 to ${MOST_USD_PER_MILLION}`;
};

/** Why a row is unusable. `field` names one that dot-mi doesn't understand. */
interface RowProblem {
  readonly message: string;
  readonly field?: string;
}

const unknownField = (field: string): RowProblem => ({
  message: `${field} must be removed, because dot-mi doesn’t know this cost`,
  field,
});

const tierProblem = (tier: unknown): string | undefined => {
  if (!isJsonObject(tier)) return `must be an object with input_tokens_above, ${FIELDS.join(' and ')}`;
  if (!Number.isSafeInteger(tier.input_tokens_above) || Number(tier.input_tokens_above) < 0)
    return 'input_tokens_above must be a whole number';
  const known: readonly string[] = [...FIELDS, ...CACHE_FIELDS, 'input_tokens_above'];
  const unknown = Object.keys(tier).find((key) => !known.includes(key));
  return pricesProblem(tier) ?? (unknown && unknownField(unknown).message);
};

const KNOWN: readonly string[] = [...FIELDS, ...CACHE_FIELDS, 'request_usd', 'tiers'];

const rowProblem = (row: unknown): RowProblem | undefined => {
  if (!isJsonObject(row)) return { message: `must be an object with ${FIELDS.join(' and ')}` };
  const { request_usd, tiers = [] } = row;
  const message = pricesProblem(row);
  if (message) return { message };
  if (request_usd !== undefined && !isPrice(request_usd))
    return {
      message: `request_usd must be a number from 0 to ${MOST_USD_PER_MILLION}`,
      field: 'request_usd',
    };
  if (!Array.isArray(tiers)) return { message: 'tiers must be a list', field: 'tiers' };
  const inTier = tiers.map(tierProblem).find((problem) => problem !== undefined);
  if (inTier !== undefined) return { message: `tiers: ${inTier}`, field: 'tiers' };
  const unknown = Object.keys(row).find((key) => COST_FIELD.test(key) && !KNOWN.includes(key));
  return unknown === undefined ? undefined : unknownField(unknown);
};

const orderPrices = (prices: Omit<ModelPrice, 'request_usd' | 'tiers'>) => ({
  input_usd_per_million: prices.input_usd_per_million,
  output_usd_per_million: prices.output_usd_per_million,
  ...Object.fromEntries(
    CACHE_FIELDS.flatMap((field) => (prices[field] === undefined ? [] : [[field, prices[field]]])),
  ),
});

/** Returns a model's price without other fields, in the order in which dot-mi writes them. */
export const orderPrice = ({ request_usd, tiers = [], ...prices }: ModelPrice): ModelPrice => ({
  ...orderPrices(prices),
  ...(request_usd === undefined ? {} : { request_usd }),
  ...(tiers.length === 0
    ? {}
    : {
        tiers: tiers
          .map(({ input_tokens_above, ...tier }) => ({ input_tokens_above, ...orderPrices(tier) }))
          .sort((a, b) => a.input_tokens_above - b.input_tokens_above),
      }),
});

/** Splits rows into usable ones and the problems with the others. */
export const checkRows = (rows: Record<string, unknown>) => {
  const models = new Map<string, ModelPrice>();
  const problems = new Map<string, RowProblem>();
  for (const [name, row] of Object.entries(rows)) {
    const problem = name === '' ? { message: 'the name must not be empty' } : rowProblem(row);
    if (problem !== undefined) {
      problems.set(name, problem);
      continue;
    }
    models.set(name, orderPrice(row as ModelPrice));
  }
  return { models, problems };
};

const membersOf = (node: AnyNode | undefined): ObjectNode['members'] =>
  node?.type === 'Object' ? node.members : [];

const nameOf = ({ name }: ObjectNode['members'][number]): string =>
  name.type === 'String' ? name.value : name.name;

const parseWithLines = (text: string): AnyNode | undefined => {
  try {
    return parse(text).body;
  } catch {
    // Unlike JSON.parse, this parser recurses and runs out of stack at a few thousand levels.
    return undefined;
  }
};

/** Returns the lines on which each model begins. Empty if the text is nested too deeply. */
const linesOf = (text: string): Map<string, number[]> => {
  const lines = new Map<string, number[]>();
  // The last member counts, as in JSON.parse.
  const models = membersOf(parseWithLines(text)).findLast((member) => nameOf(member) === 'models');
  for (const member of membersOf(models?.value)) {
    const name = nameOf(member);
    lines.set(name, [...(lines.get(name) ?? []), member.loc.start.line]);
  }
  return lines;
};

const syntaxProblem = (text: string): string => {
  if (text.trim() === '') return 'The models file is empty.';
  try {
    parse(text);
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number };
    if (line !== undefined) return `The models file is not valid JSON (line ${line}, column ${column}).`;
  }
  return 'The models file is not valid JSON.';
};

const rowProblems = (
  text: string,
  problems: ReadonlyMap<string, RowProblem>,
  expected: number,
): string | undefined => {
  // JSON.parse hides rows whose name is repeated, but their fields are still in the text.
  const written = text.match(new RegExp(`"${FIELDS[0]}"\\s*:`, 'g'))?.length ?? 0;
  if (problems.size === 0 && written <= expected) return undefined;

  const lines = linesOf(text);
  const sentences = [...problems].map(
    ([name, { message }]) => `line ${lines.get(name)?.at(-1) ?? '?'}: "${name}" is ignored: ${message}`,
  );
  for (const [name, found] of lines) {
    if (found.length > 1)
      sentences.push(`line ${found.at(-1)}: "${name}" appears twice, and this line is used`);
  }
  if (sentences.length === 0) return undefined;
  const more = sentences.length > 3 ? ` (and ${sentences.length - 3} more)` : '';
  return `Problems in the models file: ${sentences.slice(0, 3).join('; ')}${more}.`;
};

/** Removes the byte order mark that some Windows editors write. */
export const withoutBom = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

/** Parses a models file, `{ "models": { "<name>": { … } } }`. Skips unusable rows and names them. */
export const parseModels = (bytes: string): ParsedModels => {
  const text = withoutBom(bytes);
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return { models: undefined, problem: syntaxProblem(text) };
  }
  const rows = isJsonObject(file) ? file.models : undefined;
  if (!isJsonObject(rows)) {
    return {
      models: undefined,
      problem: 'The models file must have the form {"models": {…}}. Line 1 starts differently.',
    };
  }
  const { models, problems } = checkRows(rows);
  const tiers = [...models.values()].reduce((count, price) => count + (price.tiers?.length ?? 0), 0);
  return { models, problem: rowProblems(text, problems, Object.keys(rows).length + tiers) };
};

/** A models file's other top-level members: those before and those after its models. */
interface OtherMembers {
  before: readonly [string, unknown][];
  after: readonly [string, unknown][];
}

/** Reads a models file's other members, such as its source. Returns none if the text isn't an object. */
export const otherMembers = (bytes: string): OtherMembers => {
  let file: unknown;
  try {
    file = JSON.parse(withoutBom(bytes));
  } catch {
    return { before: [], after: [] };
  }
  if (!isJsonObject(file)) return { before: [], after: [] };
  const members = Object.entries(file);
  const place = members.findIndex(([name]) => name === 'models');
  return place < 0
    ? { before: members, after: [] }
    : { before: members.slice(0, place), after: members.slice(place + 1) };
};

const formatMember = ([name, value]: [string, unknown]): string =>
  `  ${JSON.stringify(name)}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')}`;

/** Formats a models file. Names keep their order, `__proto__` stays a name, and other members stay in place. */
export const formatModels = (
  models: Models,
  { before, after }: OtherMembers = { before: [], after: [] },
): string => {
  const rows = [...models].map(([name, row]) => `    ${JSON.stringify(name)}: ${JSON.stringify(row)}`);
  const members = [
    ...before.map(formatMember),
    `  "models": {\n${rows.join(',\n')}\n  }`,
    ...after.map(formatMember),
  ];
  return `{\n${members.join(',\n')}\n}\n`;
};
