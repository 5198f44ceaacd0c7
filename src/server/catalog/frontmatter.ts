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

/** The frontmatter of a Markdown file, or `{}` and a diagnostic if it's unreadable. */
export interface Frontmatter {
  readonly data: Record<string, JsonValue>;
  readonly diagnostics: readonly Diagnostic[];
}

/** A {@link Frontmatter} with positions, in UTF-16 code units from the start of the file. */
export interface PlacedFrontmatter extends Frontmatter {
  /** The position of each field of `data`. */
  readonly places: ReadonlyMap<string, FieldPlace>;
  /** The position of the YAML error. */
  readonly errorAt?: number | undefined;
  /** Where the text after the closing "---" line starts. 0 if there's no frontmatter. */
  readonly bodyStart: number;
}

/** The result of parsing the block. Positions count from its start. */
type ParsedBlock = Omit<PlacedFrontmatter, 'bodyStart'>;

const NO_PLACES: ReadonlyMap<string, FieldPlace> = new Map();

/** The limit for frontmatter, in characters. A skill's frontmatter has a few hundred. */
export const MAX_FRONTMATTER_CHARACTERS = 8 * 1024;

// `yaml` takes quadratic time for many keys, deep nesting or many errors: 10 s for 32 KiB of `a:` lines.
const MAX_TOKENS = 1_000;
// gray-matter searches for comments in quadratic time: 0.2 s for 8 KiB of empty lines.
const MAX_LINES = 1_000;
const LINE_END = /[\n\r\u2028\u2029]/;
// A few aliases can expand to any size.
const MAX_NODES = 5_000;
const MAX_DEPTH = 32;
const MAX_ALIASES = 100;

const broken = (rule: string, message: string, errorAt?: number): PlacedFrontmatter => ({
  data: {},
  diagnostics: [{ severity: 'error', rule, message }],
  places: NO_PLACES,
  errorAt,
  bodyStart: 0,
});

const tooComplex = () =>
  broken(
    'frontmatter-too-complex',
    'The frontmatter is too long, is nested too deeply, or has undefined or oversized aliases. Simplify it.',
  );

class TooComplex extends Error {}

/** Copies a YAML value as JSON, within a budget. Keys become strings. */
const toJson = (value: unknown, budget: { nodes: number }, depth = 0): JsonValue => {
  if (--budget.nodes < 0 || depth > MAX_DEPTH) throw new TooComplex();
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map((item) => toJson(item, budget, depth + 1));
  if (typeof value === 'object') {
    // fromEntries defines own properties, so `__proto__` is an ordinary name.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, toJson(item, budget, depth + 1)]),
    );
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return typeof value === 'boolean' || typeof value === 'string' ? value : String(value);
};

/** Throws {@link TooComplex} for YAML that would take too long to parse. Lexing alone is quick. */
const checkTokens = (yaml: string) => {
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

/** Throws {@link TooComplex} if a list or mapping is a key. JSON has no such keys, and nested ones take minutes. */
const checkKeys = (document: Document) =>
  visit(document, {
    Pair: (_, { key }) => {
      if (isCollection(key)) throw new TooComplex();
    },
  });

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

/** Parses YAML as pi does (the `yaml` package) but ignores tags: a string tagged as a date stays a string. */
const parseYaml = (block: string): ParsedBlock => {
  // With CRLF line endings, gray-matter leaves half of the last one.
  const yaml = block.endsWith('\r') ? `${block}\n` : block;
  try {
    checkTokens(yaml);
    const lineCounter = new LineCounter();
    // "Pretty" errors quote the source, which is slow if it's long.
    const document = withoutStacks(() =>
      parseDocument(yaml, { lineCounter, prettyErrors: false, resolveKnownTags: false }),
    );
    const [error] = document.errors;
    if (error) {
      // gray-matter's block begins on the "---" line, which is the file's first line.
      const { line } = lineCounter.linePos(error.pos[0]);
      // Limit the message, because it may quote the file.
      // The `yaml` package writes `Missing closing "quote`.
      const what = error.message
        .replaceAll(/\s+/g, ' ')
        .slice(0, 200)
        .replace(/^Missing closing (['"])quote$/, 'Missing closing $1 quote')
        .replace(/[^.!?]$/, '$&.');
      return broken(
        'frontmatter-yaml',
        `The frontmatter is not valid YAML (line ${line}): ${what}`,
        Math.min(error.pos[0], block.length),
      );
    }
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === null))
      return { data: {}, diagnostics: [], places: NO_PLACES };
    if (!isMap(contents)) {
      return broken('frontmatter-not-a-mapping', 'The frontmatter is not a list of "key: value" lines.');
    }
    checkKeys(document);
    const data = toJson(document.toJS({ maxAliasCount: MAX_ALIASES }), { nodes: MAX_NODES });
    return { data: data as Record<string, JsonValue>, diagnostics: [], places: placesOf(contents) };
  } catch (error) {
    // RangeError: nested deeper than the stack. ReferenceError: an alias without an anchor, or too many aliases.
    if (error instanceof TooComplex || error instanceof RangeError || error instanceof ReferenceError) {
      return tooComplex();
    }
    return broken('frontmatter-yaml', 'The frontmatter is not valid YAML.');
  }
};

const shifted = (places: ReadonlyMap<string, FieldPlace>, by: number): ReadonlyMap<string, FieldPlace> => {
  const move = ({ start, end }: FieldPlace['key']) => ({ start: start + by, end: end + by });
  return new Map([...places].map(([name, { key, value }]) => [name, { key: move(key), value: move(value) }]));
};

const refuse = () => {
  throw new Error('only YAML frontmatter is read');
};

/**
 * Lets gray-matter find the frontmatter and pass it to our YAML parser.
 *
 * SECURITY: gray-matter evals `---js` frontmatter unless its JavaScript engine is replaced. Passing
 * options also disables its cache.
 */
const MATTER_OPTIONS = {
  language: 'yaml',
  engines: { yaml: parseYaml, javascript: { parse: refuse }, json: { parse: refuse } },
};

/** Parses frontmatter like {@link parseFrontmatter}, and returns the positions of its fields. */
export const placeFrontmatter = (source: string): PlacedFrontmatter => {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  // "----" is a Markdown rule, which gray-matter doesn't treat as frontmatter either.
  if (!text.startsWith('---') || text[3] === '-') {
    return broken('frontmatter-missing', 'The file has no frontmatter. It must start with a "---" line.');
  }
  const end = text.indexOf('\n---', 3);
  if (end === -1) return broken('frontmatter-unclosed', 'The frontmatter has no closing "---" line.');
  if (end > MAX_FRONTMATTER_CHARACTERS) {
    return broken(
      'frontmatter-too-large',
      `The frontmatter is larger than the limit of ${MAX_FRONTMATTER_CHARACTERS / 1024} KiB.`,
    );
  }
  const mark = source.length - text.length;
  const bodyLine = text.indexOf('\n', end + 1);
  const bodyStart = mark + (bodyLine < 0 ? text.length : bodyLine + 1);
  const simple = readSimpleYaml(text.slice('---'.length, end));
  if (simple) {
    const places = shifted(simple.places, mark + '---'.length);
    return { data: simple.data, diagnostics: [], places, bodyStart };
  }
  const header = text.slice(0, end + '\n---'.length);
  if (header.split(LINE_END, MAX_LINES + 1).length > MAX_LINES) return tooComplex();
  const { name, raw } = matter.language(header);
  if (!['', 'yaml', 'yml'].includes(name)) {
    return broken(
      'frontmatter-language',
      `The frontmatter language is "${name.slice(0, 40)}". Only YAML is supported.`,
    );
  }
  const { data, isEmpty } = matter(header, MATTER_OPTIONS) as {
    data: object;
    isEmpty?: boolean;
  };
  const parsed = isEmpty ? { data: {}, diagnostics: [], places: NO_PLACES } : (data as ParsedBlock);
  // gray-matter removes the byte order mark, the "---" and the language before the block.
  const blockStart = mark + '---'.length + (name === '' ? 0 : raw.length);
  return {
    ...parsed,
    places: shifted(parsed.places, blockStart),
    errorAt: parsed.errorAt === undefined ? undefined : parsed.errorAt + blockStart,
    bodyStart,
  };
};

/**
 * Parses the frontmatter in Markdown. Never throws.
 *
 * SECURITY: only YAML is parsed. Frontmatter in another language (`---js`) is refused before gray-matter parses it.
 */
export const parseFrontmatter = (source: string): Frontmatter => {
  const { data, diagnostics } = placeFrontmatter(source);
  return { data, diagnostics };
};
