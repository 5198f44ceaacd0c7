import { type SchemaNode, schemaAt } from '../../../pi/schema-fields.ts';
import type { FormField } from './fields.ts';

/** What a field map says about a value: all that its schema doesn't. */
export type MappedField = Omit<FormField, 'widget' | 'least' | 'isAbove'> & {
  readonly widget?: FormField['widget'];
};

const widgetOf = ({ type, enum: listed, items }: SchemaNode): FormField['widget'] => {
  if (listed) return 'select';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'answer';
  return type === 'array' && items?.type === 'string' ? 'args' : 'text';
};

/** Returns the fields of a form, in the order of the map: how pi's schema says to edit each, and what the map says. */
export const fieldsOf = (
  schema: SchemaNode,
  entry: readonly string[],
  map: readonly MappedField[],
): FormField[] =>
  map.map((field) => {
    const node = schemaAt(schema, [...entry, ...field.path]);
    if (!node) throw new Error(`pi's schema has no ${field.path.join('.')}`);
    const { minimum, exclusiveMinimum } = node;
    const isRequired =
      field.path.length === 1 && schemaAt(schema, entry)?.required?.includes(field.path[0] ?? '');
    return {
      widget: widgetOf(node),
      ...(exclusiveMinimum === undefined ? {} : { least: exclusiveMinimum, isAbove: true as const }),
      ...(minimum === undefined ? {} : { least: minimum }),
      ...(isRequired ? { isRequired: true as const } : {}),
      ...field,
    };
  });
