/** What pi makes of a key or header in models.json. */
export type ConfigValue =
  | { readonly value: string }
  /** The environment variable that isn't set. */
  | { readonly missing: string }
  /** pi runs a command to get the value. */
  | { readonly isCommand: true };

/** An escaped "$" or "!", a variable, and braces around anything else, which pi leaves as they are. */
const PART = /\$(?:([$!])|\{([A-Za-z_][A-Za-z0-9_]*)\}|\{[^}]*\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/** Replaces the variables in a key or header, as pi 1.6.0 does (`dist/core/resolve-config-value.js`). An empty variable counts as not set. */
export const resolveConfigValue = (
  text: string,
  readVariable: (name: string) => string | undefined,
): ConfigValue => {
  if (text.startsWith('!')) return { isCommand: true };
  let missing: string | undefined;
  const value = text.replace(PART, (whole, escaped?: string, braced?: string, bare?: string) => {
    if (escaped !== undefined) return escaped;
    const name = braced ?? bare;
    if (name === undefined) return whole;
    const found = readVariable(name) || undefined;
    if (found === undefined) missing ??= name;
    return found ?? '';
  });
  return missing === undefined ? { value } : { missing };
};
