import { z } from 'zod';
import { type ErrorCode, isErrorCode } from '../../shared/api/errors.ts';
import { AppError } from '../platform/app-error.ts';
import { hasManyValues } from '../platform/json-problems.ts';
import { orList } from '../platform/words.ts';

type RawIssue = z.core.$ZodRawIssue;

const MOST_VALUES = 20;

/** The names that sentences use for JSON types and for types that only a schema knows. */
const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return Number.isNaN(value) ? 'other text' : 'a number';
  return KINDS[typeof value] ?? typeof value;
};

/** Returns a request part's name for a sentence. The caller may have sent the name, so only a plain one is repeated. */
const labelOf = (part: string, path: readonly PropertyKey[]): string => {
  const name = path.map(String).join('.');
  if (name === '') return part === 'body' ? 'the body' : `the ${part}`;
  const shown = /^[\w.-]{1,100}$/.test(name) ? `"${name}"` : 'a field';
  if (part === 'query') return `the query parameter ${shown}`;
  if (part === 'headers') return `the header ${shown}`;
  return part === 'params' ? `${shown} in the path` : shown;
};

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const plural = (count: number | bigint, one: string) => `${count} ${one}${Number(count) === 1 ? '' : 's'}`;

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a time in UTC, such as "2026-11-22T10:00:00Z"',
  url: 'a URL, such as "https://example.com"',
  uuid: 'an id as dot-mi returned it',
};

/** Returns the simplest value that fits a JSON schema, or its example. Omits optional fields. */
const sampleOf = (schema: z.core.JSONSchema._JSONSchema | undefined): unknown => {
  if (typeof schema !== 'object') return '…';
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.[0] !== undefined) return schema.enum[0];
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (choice !== undefined) return sampleOf(choice);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name])]),
      );
    case 'array':
      return schema.minItems ? [sampleOf(schema.items as z.core.JSONSchema._JSONSchema)] : [];
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return true;
    default:
      return '…';
  }
};

const smallest = new WeakMap<z.ZodType, string>();

/** Returns the smallest request body or query that a schema accepts, as JSON: `{"confirm":"scout"}`. */
const smallestOf = (schema: z.ZodType): string => {
  const known =
    smallest.get(schema) ??
    JSON.stringify(sampleOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })));
  smallest.set(schema, known);
  return known;
};

const missing = (label: string, expected: string | undefined, example: string): string => {
  if (label === 'the body') return `The body is missing. Send ${example}.`;
  const kind = KINDS[expected ?? ''];
  return `${capital(label)} is missing. Send ${kind ?? 'it'}, as in ${example}.`;
};

const sizeOf = (
  label: string,
  issue: RawIssue & { origin: string },
  limit: number | bigint,
  most: boolean,
) => {
  const unit = UNITS[issue.origin];
  const above = issue.inclusive === false ? 'more than' : 'at least';
  if (!unit) return `${capital(label)} must be ${most ? 'at most' : above} ${limit}.`;
  if (!most && Number(limit) === 1) return `${capital(label)} must not be empty.`;
  return `${capital(label)} must have ${most ? 'at most' : 'at least'} ${plural(limit, unit)}.`;
};

const ofFormat = (label: string, issue: RawIssue & { format: string; pattern?: string }): string => {
  const known = FORMATS[issue.format];
  if (known) return `Send ${label} as ${known}.`;
  return issue.pattern ? `${capital(label)} must match ${issue.pattern}.` : `${capital(label)} is not valid.`;
};

/**
 * Describes a problem with part of a request and its solution. It names the type of the value, never the value, which
 * can be a secret. `example` is the smallest acceptable part, as JSON.
 */
const sentenceFor = (part: string, issue: RawIssue, example: () => string): string => {
  const label = labelOf(part, issue.path ?? []);
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? missing(label, issue.expected, example())
        : `Send ${label} as ${KINDS[issue.expected] ?? issue.expected}, not as ${issue.expected === 'int' ? 'a fraction' : kindOf(issue.input)}.`;
    case 'invalid_value': {
      const values = issue.values.slice(0, MOST_VALUES).map((value) => JSON.stringify(value));
      if (issue.input === undefined) return `${capital(label)} is missing. Send ${orList(values)}.`;
      return `Send ${label} as ${orList(values)}.`;
    }
    case 'too_big':
      return sizeOf(label, issue, issue.maximum, true);
    case 'too_small':
      return sizeOf(label, issue, issue.minimum, false);
    case 'invalid_format':
      return ofFormat(label, issue);
    case 'not_multiple_of':
      return `${capital(label)} must be a multiple of ${issue.divisor}.`;
    case 'unrecognized_keys':
      return 'This route doesn’t accept this field.';
    case 'invalid_key':
    case 'invalid_element':
      return `A name in ${label} is not valid.`;
    case 'invalid_union':
      return issue.input === undefined
        ? missing(label, undefined, example())
        : `${capital(label)} is ${kindOf(issue.input)}, which this route doesn’t accept. Check it against ${example()}.`;
    default:
      return `${capital(label)} is not valid.`;
  }
};

/** One problem with a request. */
interface RequestIssue {
  path: string;
  message: string;
  /** The error code that the schema gave this issue, such as one for a bad name. */
  code?: ErrorCode;
}

const UNKNOWN_FIELD = 'This route doesn’t accept this field.';

/** A caller can send a million problems at once. */
const MOST_ISSUES = 20;

/** Each issue repeats the names above it, which the caller chose. */
const MOST_OF_NAME = 200;

const pathOf = (part: string, path: readonly PropertyKey[]): string =>
  [part, ...path.map((name) => String(name).slice(0, MOST_OF_NAME))].join('.');

const codeIn = (issue: z.core.$ZodIssue): ErrorCode | undefined => {
  const code = issue.code === 'custom' ? issue.params?.code : undefined;
  return isErrorCode(code) ? code : undefined;
};

const issuesOf = (part: string, issue: z.core.$ZodIssue): RequestIssue[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MOST_ISSUES).map((key) => ({
      path: pathOf(part, [...issue.path, key]),
      message: UNKNOWN_FIELD,
    }));
  }
  const code = codeIn(issue);
  return [{ path: pathOf(part, issue.path), message: issue.message, ...(code ? { code } : {}) }];
};

/** Returns the issues to list: the first ones, and the first one with a code, which decides the response's code. */
const listedIssues = (part: string, issues: readonly z.core.$ZodIssue[]): RequestIssue[] => {
  const listed = issues.slice(0, MOST_ISSUES);
  const coded = issues.find(codeIn);
  return (coded && !listed.includes(coded) ? [coded, ...listed] : listed).flatMap((issue) =>
    issuesOf(part, issue),
  );
};

const MOST_IN_SENTENCE = 5;

/** Unknown fields share a sentence, so it needs the name. */
const asSentence = ({ path, message }: RequestIssue): string =>
  message === UNKNOWN_FIELD
    ? `This route doesn’t accept the field "${path.replace(/^\w+\./, '')}".`
    : message;

/**
 * Parses the parts of a request (`params`, `query`, `headers`, `body`) with their schemas.
 *
 * Throws one error that lists the issues of all parts. Its code is the schema's for a bad name (`invalid_agent_id`),
 * otherwise `invalid_request`.
 */
export const parseParts = (
  parts: ReadonlyArray<readonly [part: string, schema: z.ZodType, value: unknown]>,
) => {
  const parsed: Record<string, unknown> = {};
  const issues: RequestIssue[] = [];
  for (const [part, schema, value] of parts) {
    const context = {
      // A schema's own sentences override these.
      error: (issue: RawIssue) => sentenceFor(part, issue, () => smallestOf(schema)),
      // zod knows this option, but doesn't declare it.
      abortEarly: hasManyValues(value),
    };
    const result = schema.safeParse(value, context);
    if (result.success) parsed[part] = result.data;
    else issues.push(...listedIssues(part, result.error.issues));
  }
  if (issues.length === 0) return parsed;

  const named = issues.find((issue) => issue.code);
  throw new AppError(
    named?.code ?? 'invalid_request',
    named?.message ??
      `The request is not valid. ${issues.slice(0, MOST_IN_SENTENCE).map(asSentence).join(' ')}`,
    { issues: issues.slice(0, MOST_ISSUES).map(({ path, message }) => ({ path, message })) },
  );
};
