import type { TextRange } from './checked-text.ts';
import { type JsonDocument, nodeAt, rangeOf } from '../platform/json-document.ts';
import { isPlaceholder } from './secrets.ts';

type Path = readonly (string | number)[];

/** The names of headers, variables and arguments that hold secrets. */
const SECRET_NAME = /auth(orization)?$|cookie|key$|token$|secret$|passw(or)?d$|pat$/i;

/** What pi replaces in a value, and the word before a key in a header. */
const NOT_LITERAL = /\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*|^\s*(?:bearer|basic|token)\s/gi;

/** The shortest key of a service that anybody uses. */
const MIN_CHARACTERS = 8;

/** Whether a value holds a secret as text. pi runs one that begins with "!" as a command. */
const isLiteral = (value: string): boolean =>
  !value.startsWith('!') &&
  value.replaceAll(NOT_LITERAL, '').trim().length >= MIN_CHARACTERS &&
  !isPlaceholder(value);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : []);

/** Whether a text such as `--token=x` or `Authorization: x` gives a secret to a name. */
const isAssignment = (text: string): boolean => {
  const at = text.search(/[=:]/);
  return at > 0 && SECRET_NAME.test(text.slice(0, at).trim()) && isLiteral(text.slice(at + 1));
};

const hasSecretInUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    isLiteral(url.password) || [...url.searchParams].some(([name, value]) => isAssignment(`${name}=${value}`))
  );
};

function* secretPaths(name: string, server: Record<string, unknown>): Generator<Path> {
  const isText = (value: unknown): value is string => typeof value === 'string';
  const at = (...path: Path): Path => ['mcpServers', name, ...path];
  for (const group of ['env', 'headers', 'oauth']) {
    for (const [key, value] of entriesOf(server[group])) {
      if (isText(value) && SECRET_NAME.test(key) && isLiteral(value)) yield at(group, key);
    }
  }
  if (isText(server.url) && hasSecretInUrl(server.url)) yield at('url');
  const args = Array.isArray(server.args) ? server.args : [];
  for (const [index, value] of args.entries()) {
    if (!isText(value)) continue;
    const before: unknown = args[index - 1];
    const isValue =
      isText(before) && /^--?\w/.test(before) && SECRET_NAME.test(before) && !value.startsWith('-');
    if (isAssignment(value) || (isValue && isLiteral(value))) yield at('args', index);
  }
}

/** Finds the secrets that an mcp.json holds as text, by the names of their headers, variables and arguments. */
export function* findMcpSecrets({ value, root }: JsonDocument): Generator<TextRange> {
  if (!isObject(value)) return;
  for (const [name, server] of entriesOf(value.mcpServers)) {
    if (!isObject(server)) continue;
    for (const path of secretPaths(name, server)) {
      const node = nodeAt(root, path);
      if (!node) continue;
      const { start, end } = rangeOf(node);
      // Without the quotes.
      yield { start: start + 1, end: end - 1 };
    }
  }
}
