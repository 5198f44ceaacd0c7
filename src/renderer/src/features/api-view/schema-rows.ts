import type { Node, Resolve } from './openapi.ts';

/** A body's field, as a table row. */
interface SchemaRow {
  /** The field's path, such as `agents[].id`. Empty for a body without fields. */
  readonly path: string;
  /** The field's type, such as `string or null`. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
}

/** Deeper fields are omitted, because a schema can contain itself. */
const MAX_DEPTH = 5;
const MAX_CHOICES = 8;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const fieldsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

/** Resolves a schema's `$ref` and `allOf`. */
const flat = (given: unknown, resolve: Resolve): Node => {
  const { allOf, ...schema } = resolve(given);
  const parts = [...listOf(allOf).map((part) => flat(part, resolve)), schema];
  if (parts.length === 1) return schema;
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => listOf(required)),
  };
};

const optionsOf = ({ anyOf, oneOf }: Node): readonly unknown[] => [...listOf(anyOf), ...listOf(oneOf)];

const typeOf = (schema: Node, resolve: Resolve): string => {
  if ('const' in schema) return JSON.stringify(schema.const);
  const choices = listOf(schema.enum);
  if (choices.length > MAX_CHOICES) return 'string';
  if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  const options = optionsOf(schema);
  if (options.length > 0)
    return [...new Set(options.map((option) => typeOf(flat(option, resolve), resolve)))].join(' or ');
  const types = Array.isArray(schema.type)
    ? schema.type
    : [schema.type ?? (schema.properties ? 'object' : 'any')];
  return types
    .map((type) =>
      type === 'array' ? `list of ${typeOf(flat(schema.items, resolve), resolve)}` : String(type),
    )
    .join(' or ');
};

/** Returns a schema's fields, including nested ones, in the schema's order. */
export const schemaRows = (given: unknown, resolve: Resolve): SchemaRow[] => {
  const rows: SchemaRow[] = [];
  const add = (value: unknown, path: string, depth: number): void => {
    const schema = flat(value, resolve);
    if (depth > MAX_DEPTH) return;
    const required = listOf(schema.required);
    for (const [name, field] of fieldsOf(schema.properties)) {
      const found = flat(field, resolve);
      const { description } = found;
      const here = path === '' ? name : `${path}.${name}`;
      rows.push({
        path: here,
        type: typeOf(found, resolve),
        isRequired: required.includes(name),
        description: typeof description === 'string' ? description : undefined,
      });
      add(field, here, depth + 1);
    }
    if (schema.items) add(schema.items, `${path}[]`, depth + 1);
    if (typeof schema.additionalProperties === 'object')
      add(schema.additionalProperties, path === '' ? '*' : `${path}.*`, depth + 1);
    for (const option of optionsOf(schema)) add(option, path, depth + 1);
  };
  add(given, '', 0);
  // Alternatives at one path repeat their shared fields.
  return [...new Map(rows.map((row) => [`${row.path} ${row.type}`, row])).values()];
};

/** Returns a body with a schema's required fields, for a route without an example. */
export const sampleOf = (given: unknown, resolve: Resolve, depth = 0): unknown => {
  const schema = flat(given, resolve);
  const [known] = [
    schema.const,
    schema.example,
    listOf(schema.examples)[0],
    schema.default,
    listOf(schema.enum)[0],
  ].filter((value) => value !== undefined);
  if (known !== undefined) return known;
  const options = optionsOf(schema);
  if (depth > MAX_DEPTH) return null;
  if (options.length > 0) return sampleOf(options[0], resolve, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array') return [];
  if (type === 'string') return '';
  if (type === 'number' || type === 'integer') return Number(schema.minimum ?? 0);
  if (type === 'boolean') return false;
  if (type === 'null') return null;
  const required = listOf(schema.required);
  return Object.fromEntries(
    fieldsOf(schema.properties)
      .filter(([name]) => required.includes(name))
      .map(([name, field]) => [name, sampleOf(field, resolve, depth + 1)]),
  );
};
