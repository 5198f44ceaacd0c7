import { z } from 'zod';
import { editingOf, resolved, type SchemaNode } from '../../pi/schema-fields.ts';
import type { PiSetting } from '../../shared/api/pi-settings.ts';
import { SETTINGS_SCHEMA } from '../platform/pi-schemas.ts';

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
const schema = SETTINGS_SCHEMA as unknown as SchemaNode;

/** Yields the settings in a schema. An object becomes one setting per key, unless it accepts every key. */
function* fieldsIn(unresolved: SchemaNode, path: readonly string[]): Generator<SettingField> {
  const node = resolved(schema, unresolved);
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
      ...(editingOf(schema, node) as Pick<PiSetting, 'kind'>),
      ...(node.description === undefined ? {} : { description: node.description }),
      ...(node.default === undefined ? {} : { default: node.default as PiSetting['default'] }),
    },
    accepts(value) {
      converted ??= z.fromJSONSchema({ ...node, $defs: schema.$defs } as z.core.JSONSchema.JSONSchema);
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
