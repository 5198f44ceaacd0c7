import { isJsonObject } from '../shared/json-object.ts';
import { findSecrets, isPlaceholder } from './secrets.ts';

/** The path to a value in an mcp.json server's definition, such as `['env', 'TOKEN']`. */
export type McpPath = readonly (string | number)[];

/** The names of headers, variables and arguments that contain secrets. */
const SECRET_NAME = /auth(orization)?$|cookie|key$|token$|secret$|passw(or)?d$|pat$/i;

/** The variables that pi replaces in a value. "$$" is a literal "$". */
const VARIABLE = /(?<!\$)\$(?:\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)/g;

/** The word before a key in a header. */
const SCHEME = /^\s*(bearer|basic|token)\s/i;

/** The shortest key that a service uses. */
const MIN_CHARACTERS = 8;

/** Returns whether a value contains a secret as text. pi runs a value that starts with "!" as a command. */
const isLiteral = (value: string): boolean =>
  !value.startsWith('!') &&
  value.replaceAll(VARIABLE, '').replace(SCHEME, '').trim().length >= MIN_CHARACTERS &&
  !isPlaceholder(value);

/** Returns whether the value of a variable, header or argument with this name is a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** Returns whether a value is a secret as text, according to its name. */
export const isNamedSecret = (name: string, value: string): boolean => isSecretName(name) && isLiteral(value);

const isText = (value: unknown): value is string => typeof value === 'string';

const entriesOf = (value: unknown): [string, unknown][] => (isJsonObject(value) ? Object.entries(value) : []);

/** Returns whether text such as `--token=x` or `Authorization: x` assigns a secret to a name. */
const isAssignment = (text: string): boolean => {
  const at = text.search(/[=:]/);
  return at > 0 && isNamedSecret(text.slice(0, at).trim(), text.slice(at + 1));
};

const hasSecretInUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    isLiteral(url.password) || [...url.searchParams].some(([name, value]) => isAssignment(`${name}=${value}`))
  );
};

/** Finds the secrets in a server's definition, by the names of its headers, variables and arguments. */
export function* mcpSecretPaths(server: unknown): Generator<McpPath> {
  if (!isJsonObject(server)) return;
  for (const group of ['env', 'headers', 'oauth']) {
    for (const [key, value] of entriesOf(server[group])) {
      if (isText(value) && isNamedSecret(key, value)) yield [group, key];
    }
  }
  if (isText(server.url) && hasSecretInUrl(server.url)) yield ['url'];
  const args = Array.isArray(server.args) ? server.args : [];
  for (const [index, value] of args.entries()) {
    if (!isText(value)) continue;
    const before: unknown = args[index - 1];
    const isValue =
      isText(before) && /^--?\w/.test(before) && SECRET_NAME.test(before) && !value.startsWith('-');
    if (isAssignment(value) || (isValue && isLiteral(value))) yield ['args', index];
  }
}

/** Returns whether an environment variable or header is safe to show: empty, or only variables and a scheme. */
export const isOnlyVariables = (value: string): boolean =>
  !value.startsWith('!') && !/[\p{L}\p{N}]/u.test(value.replaceAll(VARIABLE, '').replace(SCHEME, ''));

/** A part of a URL that looks random, as in `https://host/s/0J8xQm…/mcp`. */
const RANDOM_PART = /(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_-]{20,}/;

/** Returns whether a URL contains a user, a named key, or a part that looks random. */
const mayBeSecretUrl = (text: string): boolean => {
  const plain = text.replaceAll(VARIABLE, '');
  if (!URL.canParse(plain)) return false;
  const { protocol, username, password, searchParams } = new URL(plain);
  return (
    password !== '' ||
    (/^https?:$/.test(protocol) && username !== '') ||
    [...searchParams].some(([name, value]) => value !== '' && SECRET_NAME.test(name)) ||
    (!isPlaceholder(text) && RANDOM_PART.test(plain))
  );
};

/** Returns whether text has the format of a secret, at any path. */
export const mayHoldSecret = (text: string): boolean =>
  !findSecrets(text).next().done || mayBeSecretUrl(text);

/** Returns the path to text below a value that looks like a secret, or whose key names one. */
const secretTextIn = (value: unknown, path: McpPath): McpPath | undefined => {
  if (isText(value))
    return mayHoldSecret(value) || isNamedSecret(String(path.at(-1)), value) ? path : undefined;
  // The keys of `toolExposure` are tool names.
  if (typeof value !== 'object' || value === null || path[0] === 'toolExposure') return undefined;
  for (const [key, each] of Object.entries(value)) {
    const found = secretTextIn(each, [...path, key]);
    if (found) return found;
  }
  return undefined;
};

/** Returns the path of a secret in an entry. Undefined if it seems to contain none. */
export const secretPlaceOf = (value: unknown): McpPath | undefined =>
  mcpSecretPaths(value).next().value ?? secretTextIn(value, []);

/**
 * Returns the path to text that may be a secret. Includes each environment variable and header that does more than name
 * a variable. Undefined if there is none.
 */
export const literalPlaceOf = (value: unknown): McpPath | undefined => {
  const server = isJsonObject(value) ? value : {};
  for (const group of ['env', 'headers'])
    for (const [key, text] of entriesOf(server[group]))
      if (!isText(text) || !isOnlyVariables(text)) return [group, key];
  return secretPlaceOf(value);
};

const variableName = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_');

/**
 * Returns the text to write instead of a secret at a path, so that pi reads it from its environment. Undefined for
 * arguments and URLs, in which pi replaces nothing.
 */
export const variableInstead = (server: string, path: McpPath, value: string): string | undefined => {
  const [group, key = ''] = path;
  switch (group) {
    case 'env':
      return `\${${variableName(String(key))}}`;
    case 'oauth':
      return key === 'clientSecret' ? `\${${variableName(`${server}_SECRET`)}}` : undefined;
    case 'headers': {
      const scheme = SCHEME.exec(value)?.[0] ?? '';
      const isLogin = String(key).toLowerCase() === 'authorization';
      return `${scheme}\${${variableName(`${server}_${isLogin ? 'TOKEN' : String(key)}`)}}`;
    }
    default:
      return undefined;
  }
};
