import matter from 'gray-matter';
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { z } from 'zod';
import type { Diagnostic } from '../../shared/api/catalog.ts';
import { type FieldPlace, readSimpleYaml } from './simple-yaml.ts';

/** A JSON value, as the API reports frontmatter. */
export type JsonValue = z.infer<ReturnType<typeof z.json>>;

/**
 * What pi makes of frontmatter. `read`: it uses the fields. `none`: it reads no fields, because there's no frontmatter
 * or it isn't a mapping. `refused`: it can't parse the YAML, and doesn't load the file. `unknown`: dot-mi can't tell,
 * because the frontmatter exceeds its limits.
 */
type FrontmatterResult = 'read' | 'none' | 'refused' | 'unknown';

/** The frontmatter of a Markdown file, as pi reads it. Without `read`, `data` is empty and a diagnostic says why. */
export interface Frontmatter {
  readonly result: FrontmatterResult;
  /** Values that JSON doesn't have, such as dates, are null. */
  readonly data: Record<string, JsonValue>;
  readonly diagnostics: readonly Diagnostic[];
}

/** A {@link Frontmatter} with positions, in UTF-16 code units from the start of the file. */
export interface PlacedFrontmatter extends Frontmatter {
  /** The position of each field of `data`. */
  readonly places: ReadonlyMap<string, FieldPlace>;
  /** The position of the YAML error. */
  readonly errorAt?: number | undefined;
  /** Where the text after the closing "---" starts. 0 if there's no frontmatter. */
  readonly bodyStart: number;
}

/** The result of parsing the block. Positions count from its start. */
type ParsedBlock = Omit<PlacedFrontmatter, 'bodyStart'>;

const NO_PLACES: ReadonlyMap<string, FieldPlace> = new Map();

/** The limit for frontmatter, in characters. pi has none, but a skill's frontmatter has a few hundred. */
export const MAX_FRONTMATTER_CHARACTERS = 256 * 1024;

// `yaml` takes quadratic time for deep nesting or many errors. Within these limits, it takes 0.3 s at most.
const MAX_TOKENS = 20_000;
// gray-matter searches for comments in quadratic time if there are long runs of blank lines.
const LONG_BLANK = /\s{1000}/;
// A few aliases can expand to any size.
const MAX_NODES = 20_000;
const MAX_DEPTH = 32;

const EMPTY: ParsedBlock = { result: 'read', data: {}, diagnostics: [], places: NO_PLACES };

const problem = (
  result: Exclude<FrontmatterResult, 'read'>,
  rule: string,
  message: string,
  errorAt?: number,
): ParsedBlock => ({
  result,
  data: {},
  // An error keeps pi from loading the file.
  diagnostics: [{ severity: result === 'unknown' ? 'warning' : 'error', rule, message }],
  places: NO_PLACES,
  errorAt,
});

const tooComplex = () =>
  problem(
    'unknown',
    'frontmatter-too-complex',
    'The frontmatter is too long or nested too deeply for dot-mi to read, but pi may read it. Simplify it.',
  );

const notAMapping = () =>
  problem('none', 'frontmatter-not-a-mapping', 'The frontmatter is not a list of "key: value" lines.');

class TooComplex extends Error {}

/** Copies a YAML value as JSON, within a budget. Keys become strings. */
const toJson = (value: unknown, budget: { nodes: number }, depth = 0): JsonValue => {
  if (--budget.nodes < 0 || depth > MAX_DEPTH) throw new TooComplex();
  if (Array.isArray(value)) return value.map((item) => toJson(item, budget, depth + 1));
  if (isFields(value)) {
    // fromEntries defines own properties, so `__proto__` is an ordinary name.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, toJson(item, budget, depth + 1)]),
    );
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  // A date, bytes or a set isn't text to pi.
  return typeof value === 'boolean' || typeof value === 'string' ? value : null;
};

/** Returns whether a value is an object with fields, and not a list, date, set or bytes. */
const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Throws {@link TooComplex} for YAML that would take too long to parse. Lexing alone is quick. */
const checkTokens = (yaml: string) => {
  if (LONG_BLANK.test(yaml)) throw new TooComplex();
  let tokens = 0;
  for (const _token of new Lexer().lex(yaml)) {
    if (++tokens > MAX_TOKENS) throw new TooComplex();
  }
};

/** Runs a function without stack traces, which would take most of the time for text with many errors. */
const withoutStacks = <T>(run: () => T): T => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = limit;
  }
};

/**
 * Returns where the first key repeats an earlier one of its mapping, as `yaml` finds it in quadratic time. Throws
 * {@link TooComplex} if a list or mapping is a key. JSON has no such keys, and nested ones take minutes.
 */
const repeatedKeyIn = (document: Document): number | undefined => {
  let repeated: number | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (isCollection(key)) throw new TooComplex();
        // NaN doesn't equal itself.
        if (!isScalar(key) || Number.isNaN(key.value)) continue;
        if (seen.has(key.value)) repeated = Math.min(repeated ?? Infinity, key.range?.[0] ?? 0);
        seen.add(key.value);
      }
    },
  });
  return repeated;
};

const placesOf = (map: YAMLMap): ReadonlyMap<string, FieldPlace> => {
  const places = new Map<string, FieldPlace>();
  for (const { key, value } of map.items) {
    if (!isScalar(key) || !key.range) continue;
    const [start, end] = key.range;
    const range = isNode(value) ? value.range : undefined;
    places.set(String(key.value), {
      key: { start, end },
      value: range ? { start: range[0], end: range[1] } : { start: end, end },
    });
  }
  return places;
};

/** Parses YAML as pi does, with the `yaml` package. */
const parseYaml = (yaml: string): ParsedBlock => {
  try {
    checkTokens(yaml);
    const lineCounter = new LineCounter();
    const refused = (offset: number, message: string): ParsedBlock => {
      // The block begins on the file's second line.
      const line = lineCounter.linePos(offset).line + 1;
      // Limit the message, because it may quote the file.
      // The `yaml` package writes `Missing closing "quote`.
      const what = message
        .replaceAll(/\s+/g, ' ')
        .slice(0, 200)
        .replace(/^Missing closing (['"])quote$/, 'Missing closing $1 quote')
        .replace(/[^.!?]$/, '$&.');
      return problem(
        'refused',
        'frontmatter-yaml',
        `The frontmatter is not valid YAML (line ${line}): ${what}`,
        offset,
      );
    };
    // "Pretty" errors quote the source, which is slow if it's long.
    const document = withoutStacks(() =>
      parseDocument(yaml, { lineCounter, prettyErrors: false, uniqueKeys: false }),
    );
    const [error] = document.errors;
    // Nested deeper than the stack.
    if (error?.code === 'RESOURCE_EXHAUSTION') return tooComplex();
    if (error) return refused(error.pos[0], error.message);
    const repeated = repeatedKeyIn(document);
    if (repeated !== undefined) return refused(repeated, 'Map keys must be unique');
    const value: unknown = document.toJS();
    if (value === null || value === undefined) return EMPTY;
    const { contents } = document;
    if (!isFields(value) || !isMap(contents)) return notAMapping();
    const data = toJson(value, { nodes: MAX_NODES }) as Record<string, JsonValue>;
    return { ...EMPTY, data, places: placesOf(contents) };
  } catch (error) {
    // RangeError: the stack again.
    if (error instanceof TooComplex || error instanceof RangeError) return tooComplex();
    // ReferenceError: an alias without an anchor, or too many aliases.
    return problem('refused', 'frontmatter-yaml', 'The frontmatter is not valid YAML.');
  }
};

const refuse = () => {
  throw new Error('only YAML frontmatter is read');
};

/**
 * Lets gray-matter pass the block to our YAML parser.
 *
 * SECURITY: gray-matter evals `---js` frontmatter unless its JavaScript engine is replaced. Passing
 * options also disables its cache.
 */
const MATTER_OPTIONS = {
  language: 'yaml',
  // No block contains a carriage return, so none contains this end.
  delimiters: ['---', '---\r'] as [string, string],
  // gray-matter's block begins with the end of the "---" line.
  engines: {
    yaml: (block: string) => parseYaml(block.slice(1)),
    javascript: { parse: refuse },
    json: { parse: refuse },
  },
};

const parseBlock = (block: string): ParsedBlock => {
  const simple = readSimpleYaml(block);
  if (simple) return { ...EMPTY, ...simple };
  // gray-matter takes quadratic time for some text.
  if (LONG_BLANK.test(block)) return tooComplex();
  const { data, isEmpty } = matter(`---\n${block}\n---\r`, MATTER_OPTIONS) as {
    data: object;
    isEmpty?: boolean;
  };
  return isEmpty ? parseYaml(block) : (data as ParsedBlock);
};

/** Returns a function that converts positions in text with `\n` line endings into positions in the original text. */
const originalPosition = (text: string): ((at: number) => number) => {
  if (!text.includes('\r\n')) return (at) => at;
  /** The positions after which a `\r` is missing, without the ones before it. */
  const dropped: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2))
    dropped.push(at - dropped.length);
  return (at) => {
    let low = 0;
    let high = dropped.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((dropped[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return at + low;
  };
};

const NO_BLOCK = { bodyStart: 0 };

/** Parses frontmatter like {@link parseFrontmatter}, and returns the positions of its fields. */
export const placeFrontmatter = (source: string): PlacedFrontmatter => {
  const mark = source.startsWith('\uFEFF') ? 1 : 0;
  const original = source.slice(mark);
  const text = original.replaceAll(/\r\n?/g, '\n');
  const end = text.indexOf('\n---', 3);
  // An unclosed line of more dashes is a rule of Markdown.
  if (!text.startsWith('---') || (end === -1 && text.startsWith('----')))
    return {
      ...problem(
        'none',
        'frontmatter-missing',
        'The file has no frontmatter. It must start with a "---" line.',
      ),
      ...NO_BLOCK,
    };
  if (end === -1)
    return {
      ...problem('none', 'frontmatter-unclosed', 'The frontmatter has no closing "---" line.'),
      ...NO_BLOCK,
    };
  if (end > MAX_FRONTMATTER_CHARACTERS)
    return {
      ...problem(
        'unknown',
        'frontmatter-too-large',
        `The frontmatter is larger than ${MAX_FRONTMATTER_CHARACTERS / 1024} KiB, so dot-mi doesn’t read it, but pi may. Shorten it.`,
      ),
      ...NO_BLOCK,
    };
  const toOriginal = originalPosition(original);
  /** pi drops four characters from the start, whatever the fourth one is. */
  const blockStart = '---\n'.length;
  const parsed = parseBlock(text.slice(blockStart, end));
  const placed = (at: number) => mark + toOriginal(blockStart + at);
  const range = ({ start, end: until }: FieldPlace['key']) => ({ start: placed(start), end: placed(until) });
  return {
    ...parsed,
    places: new Map(
      Array.from(parsed.places, ([name, { key, value }]) => [name, { key: range(key), value: range(value) }]),
    ),
    errorAt: parsed.errorAt === undefined ? undefined : placed(parsed.errorAt),
    bodyStart: mark + toOriginal(end + '\n---'.length),
  };
};

/**
 * Parses the frontmatter in Markdown like pi's `utils/frontmatter.js`. Never throws.
 *
 * SECURITY: pi parses all frontmatter as YAML, whatever language it names, and so does this.
 */
export const parseFrontmatter = (source: string): Frontmatter => {
  const { result, data, diagnostics } = placeFrontmatter(source);
  return { result, data, diagnostics };
};
