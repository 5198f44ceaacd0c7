import {
  isNamedSecret,
  isOnlyVariables,
  type McpPath,
  mayHoldSecret,
  mcpSecretPaths,
} from '../../pi/mcp-secrets.ts';
import { isJsonObject } from '../../shared/json-object.ts';

/** Groups whose values the API hides, unless they only name variables. */
const GROUPS: ReadonlySet<string> = new Set(['apiKey', 'env', 'headers', 'oauth']);

/** Values that say where the others go. */
const DESTINATIONS: ReadonlySet<string> = new Set(['baseUrl', 'command', 'cwd', 'url']);

/** Yields the paths of an entry's values that the API hides, except those that are destinations themselves. */
function* hiddenPaths(value: unknown, path: McpPath = []): Generator<McpPath> {
  if (typeof value === 'string') {
    const isInGroup = path.some((step) => typeof step === 'string' && GROUPS.has(step));
    const isHidden = isInGroup
      ? value !== '' && !isOnlyVariables(value)
      : mayHoldSecret(value) || isNamedSecret(String(path.at(-1)), value);
    if (isHidden) yield path;
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value))
    if (!DESTINATIONS.has(key)) yield* hiddenPaths(each, [...path, Array.isArray(value) ? Number(key) : key]);
}

const valueAt = (value: unknown, path: McpPath): unknown =>
  path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined),
    value,
  );

/**
 * Returns the place of a hidden value that an entry would keep after a change, such as `env.TOKEN`. `typed` has the
 * texts in the change itself. Undefined if there's none.
 */
export const keptSecretIn = (entry: unknown, typed: ReadonlySet<unknown>): string | undefined => {
  const args = isJsonObject(entry) ? Array.from(mcpSecretPaths({ args: entry.args })) : [];
  return [...hiddenPaths(entry), ...args].find((path) => !typed.has(valueAt(entry, path)))?.join('.');
};

/**
 * Explains why a change is refused. SECURITY: whoever changes where an entry's values go can't see the hidden ones, so
 * they could send a secret to somebody who mustn't have it.
 */
export const keptSecretSentence = (what: string, place: string): string =>
  `${what}, so dot-mi doesn’t keep the hidden value at "${place}", which would then go there. Enter that value again in the same change, or remove it first. Or edit the file in another program.`;
