import {
  isNamedSecret,
  isOnlyVariables,
  mayHoldSecret,
  mcpSecretPaths,
  variableInstead,
} from '../../pi/mcp-secrets.ts';
import { shownSource } from '../../pi/packages.ts';
import type { HiddenValue } from '../../shared/api/form-files.ts';
import type { JsonFile } from '../../shared/api/json-files.ts';
import { commentsIn, type JsonNode, parseJson, rangeOf, type TextRange } from '../../shared/json-document.ts';
import { MODELS_SCHEMA, SETTINGS_SCHEMA } from '../platform/pi-schemas.ts';

type Path = readonly (string | number)[];

/** Replaces a hidden value. */
const HIDDEN = '•••';

/** Groups in which any value may be a secret. */
const GROUPS_OF_SECRETS: ReadonlySet<string> = new Set(['apiKey', 'env', 'headers', 'oauth']);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns the names of the values that a schema describes. */
function* namesIn(schema: unknown): Generator<string> {
  if (!isObject(schema)) return;
  if ('properties' in schema && isObject(schema.properties)) yield* Object.keys(schema.properties);
  for (const part of Object.values(schema)) yield* namesIn(part);
}

/** Returns the strings that a schema lists as values. */
function* constantsIn(schema: unknown): Generator<string> {
  if (!isObject(schema)) return;
  const { const: only, enum: all } = schema as { const?: unknown; enum?: unknown };
  for (const value of [only, ...(Array.isArray(all) ? all : [])]) if (typeof value === 'string') yield value;
  for (const part of Object.values(schema)) yield* constantsIn(part);
}

/** Keys whose string values the forms also show. */
const SHOWN_KEYS: Readonly<Record<JsonFile['file'], ReadonlySet<string>>> = {
  'settings.json': new Set(namesIn(SETTINGS_SCHEMA)),
  'models.json': new Set(['$schema', 'api', 'baseUrl', 'id', 'name']),
  'mcp.json': new Set(['args', 'auth', 'command', 'cwd', 'description', 'exposure', 'type', 'url']),
};

const CONSTANTS: ReadonlySet<string> = new Set([
  ...constantsIn(SETTINGS_SCHEMA),
  ...constantsIn(MODELS_SCHEMA),
]);

const isText = (step: string | number): step is string => typeof step === 'string';

const isInSecretGroup = (path: Path): boolean =>
  path.some((step) => isText(step) && GROUPS_OF_SECRETS.has(step));

/** Returns whether a string can be shown. SECURITY: hides it unless its key is known and nothing suggests a secret. */
const isShown = (file: JsonFile['file'], path: Path, value: string): boolean => {
  const name = path.findLast(isText) ?? '';
  if (mayHoldSecret(value) || isNamedSecret(name, value)) return false;
  if (isInSecretGroup(path)) return isOnlyVariables(value);
  if (!mcpSecretPaths({ url: value }).next().done) return false;
  if (path[0] === 'packages' && shownSource(value) !== value) return false;
  return SHOWN_KEYS[file].has(name) || CONSTANTS.has(value);
};

interface Leaf {
  readonly range: TextRange;
  readonly path: Path;
  readonly isShown: boolean;
  /** The type of a value. Undefined for a name. */
  readonly type?: 'text' | 'number' | 'switch';
  /** The value if it's text. */
  readonly text?: string;
}

/** Returns the indexes of a list's strings that contain a secret next to its name, such as `--token x`. */
const secretsIn = (elements: readonly JsonNode[]): ReadonlySet<number> => {
  const args = elements.map((node) => (node.type === 'String' ? node.value : undefined));
  return new Set(Array.from(mcpSecretPaths({ args }), ([, index]) => Number(index)));
};

/** Yields a file's names and simple values, even in members that a later member of the same name overrides. */
function* leavesIn(file: JsonFile['file'], node: JsonNode, path: Path = []): Generator<Leaf> {
  if (node.type === 'Object') {
    for (const { name, value } of node.members) {
      const key = name.type === 'String' ? name.value : name.name;
      yield { range: rangeOf(name), path: [...path, key], isShown: !mayHoldSecret(key) };
      yield* leavesIn(file, value, [...path, key]);
    }
  } else if (node.type === 'Array') {
    const elements = node.elements.map(({ value }) => value);
    const secrets = secretsIn(elements);
    for (const [index, element] of elements.entries()) {
      if (secrets.has(index))
        yield { range: rangeOf(element), path: [...path, index], isShown: false, type: 'text' };
      else yield* leavesIn(file, element, [...path, index]);
    }
  } else if (node.type === 'String') {
    const { value: text } = node;
    yield { range: rangeOf(node), path, isShown: isShown(file, path, text), type: 'text', text };
  } else if (node.type === 'Number') {
    yield { range: rangeOf(node), path, isShown: !isInSecretGroup(path), type: 'number' };
  } else if (node.type === 'Boolean') {
    yield { range: rangeOf(node), path, isShown: true, type: 'switch' };
  }
}

/** Replaces a hidden value of each type, for readers who see only the shape. */
const SHAPES = { text: HIDDEN, number: `${HIDDEN} (number)`, switch: `${HIDDEN} (true or false)` } as const;

/** Groups in which pi runs a command instead of a value that begins with "!". */
const WITH_COMMANDS: ReadonlySet<unknown> = new Set(['apiKey', 'env', 'headers']);

/** Describes a hidden value, for callers who see the others. */
const placeholderOf = ({ path, text = '' }: Leaf): HiddenValue => {
  const [, owner = '', ...rest] = path;
  const [group] = rest;
  if (WITH_COMMANDS.has(group) && text.startsWith('!')) return { hidden: 'command' };
  const url =
    (path.at(-1) === 'url' || path.at(-1) === 'baseUrl') && URL.canParse(text) ? new URL(text) : undefined;
  const name = String(owner);
  const instead =
    group === 'apiKey'
      ? variableInstead(name, ['env', `${name}_API_KEY`], '')
      : variableInstead(name, rest, text);
  return {
    hidden: 'text',
    ...(url ? { shown: `${url.protocol}//${url.host}` } : {}),
    ...(instead === undefined ? {} : { instead }),
  };
};

/** A {@link JsonFile}'s content, without possible secrets. */
type ShownJson = Pick<JsonFile, 'value' | 'text' | 'hidden'> & { readonly problem?: string };

/** What a reader sees of a file's values. */
export type Shows = 'all' | 'no-secrets' | 'shape';

/** Returns the content of a file as a reader sees it. All other bytes of the text stay the same, such as the names. */
export const shownJson = (file: JsonFile['file'], text: string, shows: Shows): ShownJson => {
  const comments = file === 'models.json';
  const { root, error } = parseJson(text, { comments });
  if (!root) {
    const reason = error ? 'is not valid JSON' : 'is too large or nested too deeply';
    return {
      value: null,
      text: null,
      hidden: [],
      problem: `${file} ${reason}, so dot-mi can’t tell which values to hide. Open it in another program.`,
    };
  }
  const leaves = Array.from(leavesIn(file, root)).filter(
    ({ isShown, type }) => shows !== 'all' && (!isShown || (shows === 'shape' && type !== undefined)),
  );
  const hidden = [
    ...leaves.map(({ range, type }) => ({
      ...range,
      instead: `"${shows === 'shape' ? SHAPES[type ?? 'text'] : HIDDEN}"`,
    })),
    ...(comments && shows !== 'all' ? commentsIn(text) : []).map((range) => ({
      ...range,
      instead: `// ${HIDDEN}`,
    })),
  ].sort((a, b) => a.start - b.start);
  let shown = '';
  let end = 0;
  for (const { instead, ...range } of hidden) {
    shown += text.slice(end, range.start) + instead;
    end = range.end;
  }
  shown = (shown + text.slice(end)).replace(/^\uFEFF/, '');
  const isSecretName = (path: Path) => path.some((step) => isText(step) && mayHoldSecret(step));
  return {
    value: parseJson(shown, { comments }).value as JsonFile['value'],
    text: shown,
    hidden: leaves
      .filter(({ type, path }) => type !== undefined && !isSecretName(path))
      .map((leaf) => ({
        ...(shows === 'shape' ? { hidden: 'text' as const } : placeholderOf(leaf)),
        path: [...leaf.path],
      })),
  };
};
