/** A JSON object's fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a value's fields. Undefined if it isn't an object. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
