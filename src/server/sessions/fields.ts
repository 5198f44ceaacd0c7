/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a value. Undefined if it is no object. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
