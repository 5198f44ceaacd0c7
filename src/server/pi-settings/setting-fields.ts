import { z } from 'zod';
import type { PiSetting } from '../../shared/api/pi-settings.ts';
import { SETTINGS_SCHEMA } from '../platform/pi-schemas.ts';

/** The parts of pi's JSON schema that determine how a setting is edited. */
interface SchemaNode {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaNode[];
  readonly items?: SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: unknown;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly deprecated?: boolean;
}

/** A setting in pi's schema, and what it accepts. */
export interface SettingField {
  readonly setting: Omit<PiSetting, 'value' | 'isHidden' | 'isRefused'>;
  accepts(value: unknown): boolean;
}

/** Settings that the form doesn't list: pi writes them itself for one computer, or they have their own form. */
const NOT_LISTED: ReadonlySet<string> = new Set([
  'packages',
  '$schema',
  'lastChangelogVersion',
  'extensionChangelogVersions',
  'deviceId',
  'trackingId',
]);

/** TypeScript infers the file's values, but not that all parts of it have this type. */
const schema = SETTINGS_SCHEMA as unknown as SchemaNode & {
  readonly $defs: Readonly<Record<string, SchemaNode>>;
};
const definitions = schema.$defs;

const resolved = (node: SchemaNode): SchemaNode => {
  const name = node.$ref?.replace('#/$defs/', '');
  return name === undefined ? node : { ...definitions[name], ...node };
};

/** Returns the values that a schema lists. Undefined if it accepts others too. */
const listedIn = (node: SchemaNode): unknown[] | undefined => {
  if (node.const !== undefined) return [node.const];
  if (node.enum) return [...node.enum];
  if (node.type === 'boolean') return [true, false];
  return undefined;
};

type Editing = Pick<PiSetting, 'kind' | 'options' | 'minimum' | 'maximum' | 'isInteger'>;

const limitsOf = ({ type, minimum, maximum }: SchemaNode): Partial<Editing> => ({
  ...(minimum === undefined ? {} : { minimum }),
  ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  ...(type === 'integer' ? { isInteger: true } : {}),
});

const isNumber = ({ type, const: value }: SchemaNode): boolean =>
  (type === 'number' || type === 'integer') && value === undefined;

const editingOf = (node: SchemaNode): Editing => {
  if (node.type === 'boolean') return { kind: 'switch' };
  if (isNumber(node)) return { kind: 'number', ...limitsOf(node) };
  if (node.type === 'string' && listedIn(node) === undefined) return { kind: 'text' };
  if (node.type === 'array' && node.items?.type === 'string') return { kind: 'list' };
  const parts = node.anyOf?.map(resolved).filter(({ deprecated }) => !deprecated) ?? [node];
  const [only, ...others] = parts;
  if (only && only !== node && others.length === 0) return editingOf(only);
  const listed = parts.map(listedIn);
  if (listed.every((values) => values !== undefined))
    return { kind: 'choice', options: listed.flat() as PiSetting['options'] };
  const [number] = parts.filter(isNumber);
  const words = parts.filter((part) => part !== number).map(listedIn);
  if (number && words.every((values) => values !== undefined))
    return { kind: 'number', ...limitsOf(number), options: words.flat() as PiSetting['options'] };
  return { kind: 'json' };
};

/** Yields the settings in a schema. An object becomes one setting per key, unless it accepts every key. */
function* fieldsIn(unresolved: SchemaNode, path: readonly string[]): Generator<SettingField> {
  const node = resolved(unresolved);
  if (node.properties && !node.patternProperties && !node.deprecated) {
    for (const [key, part] of Object.entries(node.properties)) {
      if (path.length === 0 && NOT_LISTED.has(key)) continue;
      yield* fieldsIn(part, [...path, key]);
    }
    return;
  }
  if (node.deprecated) return;
  let converted: z.ZodType | undefined;
  yield {
    setting: {
      path: [...path],
      ...editingOf(node),
      ...(node.description === undefined ? {} : { description: node.description }),
      ...(node.default === undefined ? {} : { default: node.default as PiSetting['default'] }),
    },
    accepts(value) {
      converted ??= z.fromJSONSchema({ ...node, $defs: definitions } as z.core.JSONSchema.JSONSchema);
      return converted.safeParse(value).success;
    },
  };
}

let fields: readonly SettingField[] | undefined;

/**
 * Returns the settings of pi 1.6, in the order of its bundled schema. Excludes `packages` and the settings that pi
 * writes itself or has replaced.
 */
export const settingFields = (): readonly SettingField[] => {
  fields ??= [...fieldsIn(schema, [])];
  return fields;
};
