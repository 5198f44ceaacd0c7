/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns whether a value is a JSON object, not a list or null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a value if it's a JSON object. Otherwise returns undefined. */
export const jsonObjectOf = (value: unknown): JsonObject | undefined =>
  isJsonObject(value) ? value : undefined;
