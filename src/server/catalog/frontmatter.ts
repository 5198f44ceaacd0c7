import matter from 'gray-matter';
import { parse } from 'yaml';
import type { z } from 'zod';
import type { Diagnostic } from '../../shared/api/catalog.ts';

/** A value of JSON, as frontmatter is told over HTTP. */
export type JsonValue = z.infer<ReturnType<typeof z.json>>;

/** The frontmatter of a Markdown file; `{}` and a diagnostic where there is none to be had. */
export interface Frontmatter {
  readonly data: Record<string, JsonValue>;
  readonly diagnostics: readonly Diagnostic[];
}

/** The most text that is parsed as frontmatter. A skill's has a few hundred bytes. */
export const MAX_FRONTMATTER_CHARACTERS = 32 * 1024;

// What a few aliases expand to can be as large as one likes.
const MAX_NODES = 5_000;
const MAX_DEPTH = 32;
const MAX_ALIASES = 100;

const broken = (rule: string, message: string): Frontmatter => ({
  data: {},
  diagnostics: [{ severity: 'error', rule, message }],
});

const refuse = () => {
  throw new Error('only YAML frontmatter is read');
};

/**
 * gray-matter's options: YAML as pi reads it (the `yaml` package), and every other language refused.
 *
 * SECURITY: gray-matter runs `---js` frontmatter with eval unless its JavaScript engine is replaced. The options also
 * keep it from caching what it parsed.
 */
const MATTER_OPTIONS = {
  engines: {
    yaml: (text: string) => parse(text, { maxAliasCount: MAX_ALIASES, logLevel: 'error' }) ?? {},
    javascript: { parse: refuse, stringify: refuse },
    json: { parse: refuse, stringify: refuse },
  },
};

class TooComplex extends Error {}

/** Copies a YAML value as JSON, within a budget. Dates become ISO strings; keys become strings. */
const toJson = (value: unknown, budget: { nodes: number }, depth = 0): JsonValue => {
  if (--budget.nodes < 0 || depth > MAX_DEPTH) throw new TooComplex();
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map((item) => toJson(item, budget, depth + 1));
  if (typeof value === 'object') {
    // fromEntries defines own properties, so that `__proto__` is a name like any other.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, toJson(item, budget, depth + 1)]),
    );
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return typeof value === 'boolean' || typeof value === 'string' ? value : String(value);
};

const firstLine = (error: unknown) =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);

/** The length of the text between the `---` lines; undefined when it does not end. */
const headerLength = (text: string) => {
  const end = text.indexOf('\n---', 3);
  return end === -1 ? undefined : end;
};

/** Parses the frontmatter of a Markdown text. Never throws, and never runs what it reads. */
export const parseFrontmatter = (source: string): Frontmatter => {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  // "----" is a Markdown rule, as gray-matter sees it too.
  if (!text.startsWith('---') || text[3] === '-') {
    return broken('frontmatter-missing', 'There is no frontmatter; the file must begin with a line "---".');
  }
  const length = headerLength(text);
  if (length === undefined) {
    return broken('frontmatter-unclosed', 'The frontmatter has no closing line "---".');
  }
  if (length > MAX_FRONTMATTER_CHARACTERS) {
    return broken(
      'frontmatter-too-large',
      `The frontmatter is over ${MAX_FRONTMATTER_CHARACTERS / 1024} KiB.`,
    );
  }
  const { name: language } = matter.language(text);
  if (language !== '' && language !== 'yaml' && language !== 'yml') {
    return broken(
      'frontmatter-language',
      `The frontmatter says it is "${language.slice(0, 40)}"; only YAML is read.`,
    );
  }
  return parseYaml(text.slice(0, length + '\n---'.length));
};

const parseYaml = (header: string): Frontmatter => {
  try {
    const data: unknown = matter(header, { ...MATTER_OPTIONS, language: 'yaml' }).data;
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      return broken('frontmatter-not-a-mapping', 'The frontmatter is not a list of "key: value" lines.');
    }
    return { data: toJson(data, { nodes: MAX_NODES }) as Record<string, JsonValue>, diagnostics: [] };
  } catch (error) {
    if (error instanceof TooComplex || error instanceof RangeError || error instanceof ReferenceError) {
      return broken('frontmatter-too-complex', 'The frontmatter is nested or aliased too deeply.');
    }
    return broken('frontmatter-yaml', `The frontmatter is not valid YAML: ${firstLine(error)}`);
  }
};
