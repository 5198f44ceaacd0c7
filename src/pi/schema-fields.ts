/** The parts of a JSON schema that determine how a value is edited. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly deprecated?: boolean;
}

/** How a value is edited. */
export interface Editing {
  readonly kind: 'switch' | 'choice' | 'number' | 'text' | 'list' | 'json';
  /** The values that pi accepts, for a choice or besides numbers. */
  readonly options?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly isInteger?: true;
}

/** Returns a node of a schema without its reference. */
export const resolved = (schema: SchemaNode, node: SchemaNode): SchemaNode => {
  const name = node.$ref?.replace('#/$defs/', '');
  return name === undefined ? node : { ...schema.$defs?.[name], ...node };
};

/** Returns the schema of the values at a path. `*` is any key, or any item of a list. */
export const schemaAt = (schema: SchemaNode, path: readonly string[]): SchemaNode | undefined =>
  path.reduce<SchemaNode | undefined>(
    (at, step) => {
      const next =
        step === '*' ? (at?.items ?? Object.values(at?.patternProperties ?? {})[0]) : at?.properties?.[step];
      return next && resolved(schema, next);
    },
    resolved(schema, schema),
  );

/** Returns the values that a schema lists. Undefined if it accepts others too. */
const listedIn = (node: SchemaNode): unknown[] | undefined => {
  if (node.const !== undefined) return [node.const];
  if (node.enum) return [...node.enum];
  if (node.type === 'boolean') return [true, false];
  return undefined;
};

const limitsOf = ({ type, minimum, maximum }: SchemaNode): Partial<Editing> => ({
  ...(minimum === undefined ? {} : { minimum }),
  ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  ...(type === 'integer' ? { isInteger: true } : {}),
});

const isNumber = ({ type, const: value }: SchemaNode): boolean =>
  (type === 'number' || type === 'integer') && value === undefined;

/** Returns how a value of a schema is edited. */
export const editingOf = (schema: SchemaNode, node: SchemaNode): Editing => {
  if (node.type === 'boolean') return { kind: 'switch' };
  if (isNumber(node)) return { kind: 'number', ...limitsOf(node) };
  if (node.type === 'string' && listedIn(node) === undefined) return { kind: 'text' };
  if (node.type === 'array' && node.items?.type === 'string') return { kind: 'list' };
  const parts = node.anyOf?.map((part) => resolved(schema, part)).filter(({ deprecated }) => !deprecated) ?? [
    node,
  ];
  const [only, ...others] = parts;
  if (only && only !== node && others.length === 0) return editingOf(schema, only);
  const listed = parts.map(listedIn);
  if (listed.every((values) => values !== undefined)) return { kind: 'choice', options: listed.flat() };
  const [number] = parts.filter(isNumber);
  const words = parts.filter((part) => part !== number).map(listedIn);
  if (number && words.every((values) => values !== undefined))
    return { kind: 'number', ...limitsOf(number), options: words.flat() };
  return { kind: 'json' };
};
