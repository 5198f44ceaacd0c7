import { type JsonDocument, type JsonNode, parseJson, rangeOf, type TextRange } from './json-document.ts';

// This is our own code, because jsonc-parser formats lines around an edit, drops comments between members, and edits
// the first of two equal keys, although JSON.parse reads the last.

/** The keys and indexes from the top to a value, such as `['mcpServers', 'docs', 'enabled']`. */
export type JsonPath = readonly (string | number)[];

/** A change to a value: set it, remove it with its key, or rename its key. */
export type JsonChange =
  /** Creates missing objects along the path. An index past a list's end appends to the list. */
  | { readonly path: JsonPath; readonly set: unknown }
  /** Does nothing if there's no such value. */
  | { readonly path: JsonPath; readonly remove: true }
  | { readonly path: JsonPath; readonly rename: string };

/** An edit as clients send it: a value to set, a new key, or neither to remove the value. */
export interface JsonEdit {
  readonly path: JsonPath;
  readonly value?: unknown;
  readonly rename?: string | undefined;
}

/** Returns clients' edits as changes. */
export const changesOfEdits = (edits: readonly JsonEdit[]): JsonChange[] =>
  edits.map(({ path, value, rename }) => {
    if (rename !== undefined) return { path, rename };
    return value === undefined ? { path, remove: true } : { path, set: value };
  });

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) yield* textsIn(each);
}

/** Returns all texts in edits. Who sends them knows them, whether or not they are secrets. */
export const typedTexts = (edits: readonly JsonEdit[]): ReadonlySet<unknown> =>
  new Set(edits.flatMap(({ value }) => [...textsIn(value)]));

/** Returns the new names of the members of an object that edits rename, by their old ones. */
export const renamesIn = (edits: readonly JsonEdit[], parent: JsonPath): ReadonlyMap<string, string> =>
  new Map(
    edits.flatMap(({ path, rename }): [string, string][] =>
      rename !== undefined &&
      path.length === parent.length + 1 &&
      parent.every((step, at) => step === path[at])
        ? [[String(path.at(-1)), rename]]
        : [],
    ),
  );

/** Thrown if the text can't be edited: it isn't JSON, it's too long, or the path passes through another type. */
export class JsonEditError extends Error {}

/** A member of an object or an element of a list. Its range includes its key. */
interface Item extends TextRange {
  readonly key?: { readonly name: string; readonly range: TextRange };
  readonly value: JsonNode;
}

interface Container extends TextRange {
  readonly isObject: boolean;
  readonly items: readonly Item[];
}

interface Splice extends TextRange {
  readonly text: string;
}

/** How the rest of the file is formatted. */
interface Style {
  readonly indentUnit: string;
  readonly lineEnd: string;
  /** The text between a key and its value. */
  readonly colon: string;
}

interface ParsedText {
  readonly text: string;
  readonly root: JsonNode;
  readonly hasComments: boolean;
  readonly style: Style;
}

/** Returns whether two JSON values are the same, whatever the order of their keys. */
const isSameJson = (a: unknown, b: unknown): boolean => {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && isSameJson(value, Reflect.get(b, key)))
  );
};

const containerOf = (node: JsonNode): Container | undefined => {
  if (node.type === 'Object')
    return {
      ...rangeOf(node),
      isObject: true,
      items: node.members.map((member) => ({
        ...rangeOf(member),
        key: {
          name: member.name.type === 'String' ? member.name.value : member.name.name,
          range: rangeOf(member.name),
        },
        value: member.value,
      })),
    };
  if (node.type === 'Array')
    return {
      ...rangeOf(node),
      isObject: false,
      items: node.elements.map((element) => ({ ...rangeOf(element), value: element.value })),
    };
  return undefined;
};

/**
 * Returns the item that JSON.parse would read: the last one with this name. Throws if the step doesn't fit the
 * container.
 */
const itemAt = ({ isObject, items }: Container, step: string | number): Item | undefined => {
  if (isObject !== (typeof step === 'string')) throw new JsonEditError(`there is nothing at ${step}`);
  return typeof step === 'number' ? items[step] : items.findLast(({ key }) => key?.name === step);
};

/** Returns the text between a key and its value if it's only a colon and blanks. */
const colonOf = (text: string, { items }: Container): string | undefined => {
  const last = items.at(-1);
  const colon = last?.key && text.slice(last.key.range.end, rangeOf(last.value).start);
  return colon !== undefined && /^[ \t]*:[ \t]*$/.test(colon) ? colon : undefined;
};

const styleOf = (text: string, root: JsonNode): Style => {
  const container = containerOf(root);
  return {
    indentUnit: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ',
    lineEnd: /\r?\n/.exec(text)?.[0] ?? '\n',
    colon: (container && colonOf(text, container)) ?? ': ',
  };
};

const parseText = (text: string, hasComments: boolean): ParsedText => {
  const { root }: JsonDocument = parseJson(text, { comments: hasComments });
  if (!root) throw new JsonEditError('the text is not JSON that can be edited');
  return { text, root, hasComments, style: styleOf(text, root) };
};

/** Returns the offset of a comma between two items, ignoring commas in comments. */
const commaIn = (text: string, start: number, end: number): number | undefined => {
  for (const { 0: token, index } of text.slice(start, end).matchAll(/\/\/[^\n]*|,/g))
    if (token === ',') return start + index;
  return undefined;
};

const lineStartOf = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

const isBlank = (text: string): boolean => /^[ \t\r\n\uFEFF]*$/.test(text);

/** Returns the blanks at the start of the line that contains an offset. */
const indentAt = (text: string, offset: number): string =>
  /^\uFEFF?([ \t]*)/.exec(text.slice(lineStartOf(text, offset), offset))?.[1] ?? '';

/** Returns whether only blanks precede an offset in its line, and whether there's a line before it. */
const beginsLine = (text: string, offset: number): boolean => {
  const start = lineStartOf(text, offset);
  return start > 0 && isBlank(text.slice(start, offset));
};

/** The longest list of plain values on one line. A longer list gets one line per value. */
const MAX_INLINE_LIST = 80;

/** Formats a value. `indent` is its line's indentation. Undefined keeps everything on one line. */
const format = (value: unknown, style: Style, indent: string | undefined): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = indent === undefined ? undefined : indent + style.indentUnit;
  const isList = Array.isArray(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const parts = isList
    ? value.map((each: unknown) => format(each, style, inner))
    : entries.map(([name, each]) => `${JSON.stringify(name)}${style.colon}${format(each, style, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  const isCompact = !/\s$/.test(style.colon);
  const pad = isList || isCompact ? '' : ' ';
  const inline = `${open}${pad}${parts.join(isCompact ? ',' : ', ')}${pad}${close}`;
  const isPlainList = isList && !value.some((each) => typeof each === 'object' && each !== null);
  if (inner === undefined || (isPlainList && inline.length <= MAX_INLINE_LIST)) return inline;
  const lines = parts.join(`,${style.lineEnd}${inner}`);
  return `${open}${style.lineEnd}${inner}${lines}${style.lineEnd}${indent}${close}`;
};

const formatItem = (name: string | undefined, value: unknown, style: Style, indent: string | undefined) =>
  `${name === undefined ? '' : `${JSON.stringify(name)}${style.colon}`}${format(value, style, indent)}`;

const insertFirst = (
  { text, root, style }: ParsedText,
  { start, end }: Container,
  name: string | undefined,
  value: unknown,
): Splice[] => {
  // Insert after a comment, if there is one.
  const at = start + text.slice(start, end - 1).trimEnd().length;
  const { start: rootStart, end: rootEnd } = rangeOf(root);
  const isInLines = start === rootStart || text.slice(rootStart, rootEnd).includes('\n');
  const close = { start: at, end: end - 1 };
  if (!isInLines) {
    const pad = /\s$/.test(style.colon) ? ' ' : '';
    return [{ ...close, text: `${pad}${formatItem(name, value, style, undefined)}${pad}` }];
  }
  const outer = indentAt(text, start);
  const indent = outer + style.indentUnit;
  const item = formatItem(name, value, style, indent);
  return [{ ...close, text: `${style.lineEnd}${indent}${item}${style.lineEnd}${outer}` }];
};

const insertLast = (
  { text, hasComments, style }: ParsedText,
  { items, end }: Container,
  name: string | undefined,
  value: unknown,
): Splice[] => {
  const last = items.at(-1) as Item;
  const comma = commaIn(text, last.end, end - 1);
  if (!beginsLine(text, last.start)) {
    const before = items.at(-2);
    const gap = before ? text.slice(before.end, last.start) : '';
    const separator = /^[ \t]*,[ \t]*$/.test(gap) ? gap : /\s$/.test(style.colon) ? ', ' : ',';
    const item = formatItem(name, value, style, undefined);
    return [{ start: last.end, end: last.end, text: `${separator}${item}` }];
  }
  const indent = indentAt(text, last.start);
  const after = comma === undefined ? last.end : comma + 1;
  // A comment on the same line belongs to the last item.
  const comment = hasComments
    ? (/^[ \t]*\/\/[^\n]*?(?=\r?\n|$)/.exec(text.slice(after))?.[0].length ?? 0)
    : 0;
  const at = after + comment;
  const line = `${style.lineEnd}${indent}${formatItem(name, value, style, indent)}`;
  const addsComma = comma === undefined ? [{ start: last.end, end: last.end, text: ',' }] : [];
  return [...addsComma, { start: at, end: at, text: comma === undefined ? line : `${line},` }];
};

/** Extends a removed range to its entire lines if nothing else is on them, or else by the blanks next to it. */
const withBlanks = (text: string, { start, end }: TextRange): TextRange => {
  const [blanks = ''] = /^[ \t]*/.exec(text.slice(end)) ?? [];
  const [lineEnd = ''] = /^\r?\n/.exec(text.slice(end + blanks.length)) ?? [];
  if (lineEnd === '') return { start, end: end + blanks.length };
  if (beginsLine(text, start))
    return { start: lineStartOf(text, start), end: end + blanks.length + lineEnd.length };
  return { start: start - (/[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0), end };
};

const removeItem = ({ text }: ParsedText, { items, start, end }: Container, index: number): Splice[] => {
  const item = items[index] as Item;
  const before = items[index - 1];
  const next = items[index + 1];
  const gone = (range: TextRange): Splice => ({ start: range.start, end: range.end, text: '' });
  const commaAfter = commaIn(text, item.end, next?.start ?? end - 1);
  if (items.length === 1) {
    const isAlone = isBlank(text.slice(start + 1, item.start)) && commaAfter === undefined;
    if (isAlone && isBlank(text.slice(item.end, end - 1))) return [gone({ start: start + 1, end: end - 1 })];
  }
  // Remove the comma separately if something is between it and the item.
  if (commaAfter !== undefined) {
    if (isBlank(text.slice(item.end, commaAfter)))
      return [gone(withBlanks(text, { start: item.start, end: commaAfter + 1 }))];
    return [gone(withBlanks(text, item)), gone({ start: commaAfter, end: commaAfter + 1 })];
  }
  const commaBefore = before && commaIn(text, before.end, item.start);
  if (commaBefore === undefined) return [gone(withBlanks(text, item))];
  const isCommented = /^[ \t]*\/\//.test(text.slice(item.end));
  if (!isCommented && isBlank(text.slice(commaBefore + 1, item.start)))
    return [gone({ start: commaBefore, end: item.end })];
  return [gone({ start: commaBefore, end: commaBefore + 1 }), gone(withBlanks(text, item))];
};

const spliced = (text: string, splices: readonly Splice[]): string => {
  let result = '';
  let end = 0;
  for (const splice of splices.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(end, splice.start) + splice.text;
    end = splice.end;
  }
  return result + text.slice(end);
};

/** Returns the container for a path's last step, and the number of steps to it. */
const walk = (root: JsonNode, path: JsonPath): { container: Container; depth: number; item?: Item } => {
  let node = root;
  for (let depth = 0; ; depth++) {
    const container = containerOf(node);
    if (!container)
      throw new JsonEditError(
        `${path.slice(0, depth).join('.')} is not an object or array, so it can’t contain a value`,
      );
    const item = itemAt(container, path[depth] as string | number);
    if (!item) return { container, depth };
    if (depth === path.length - 1) return { container, depth, item };
    node = item.value;
  }
};

const set = (parsed: ParsedText, path: JsonPath, value: unknown): string => {
  const { text, root } = parsed;
  const { container, depth, item } = walk(root, path);
  const style = { ...parsed.style, colon: colonOf(text, container) ?? parsed.style.colon };
  if (item) {
    const range = rangeOf(item.value);
    const old = text.slice(range.start, range.end);
    if (isSameJson(parseJson(old, { comments: parsed.hasComments }).value, value)) return text;
    const isInLines = beginsLine(text, item.start) && (old.includes('\n') || !/^[[{]/.test(old));
    const formatted = format(value, style, isInLines ? indentAt(text, item.start) : undefined);
    return spliced(text, [{ ...range, text: formatted }]);
  }
  const made = path
    .slice(depth + 1)
    .reduceRight<unknown>((inner, step) => Object.fromEntries([[step, inner]]), value);
  const step = path[depth];
  const name = typeof step === 'string' ? step : undefined;
  const insert = container.items.length === 0 ? insertFirst : insertLast;
  return spliced(text, insert({ ...parsed, style }, container, name, made));
};

/** Removes every member with the same key, because JSON.parse would otherwise read the previous one. */
const removeAll = (text: string, hasComments: boolean, path: JsonPath, keepsLast: boolean): string => {
  for (let rest = text; ; ) {
    const parsed = parseText(rest, hasComments);
    const { container, depth, item } = walk(parsed.root, path);
    if (!item || depth !== path.length - 1) return rest;
    const isSame = ({ key }: Item) => key !== undefined && key.name === item.key?.name;
    if (keepsLast && container.items.filter(isSame).length < 2) return rest;
    const index = keepsLast ? container.items.findIndex(isSame) : container.items.indexOf(item);
    rest = spliced(rest, removeItem(parsed, container, index));
    if (item.key === undefined) return rest;
  }
};

const rename = (text: string, hasComments: boolean, path: JsonPath, name: string): string => {
  const { root } = parseText(text, hasComments);
  const { container, depth, item } = walk(root, path);
  if (!item?.key || depth !== path.length - 1) throw new JsonEditError('there is nothing to rename');
  if (itemAt(container, name)) throw new JsonEditError('the new name is taken');
  return spliced(text, [{ ...item.key.range, text: JSON.stringify(name) }]);
};

/**
 * Changes values in JSON. Every other byte stays the same: unknown keys, order, indentation, line endings, the byte
 * order mark and, with `comments`, the comments and trailing commas that pi allows in models.json. New values use the
 * formatting of the rest. Throws {@link JsonEditError}.
 */
export const editJson = (text: string, changes: readonly JsonChange[], { comments = false } = {}): string => {
  let result = text;
  for (const change of changes) {
    if (change.path.length === 0) throw new JsonEditError('the whole text is not a value to edit');
    if ('set' in change) result = set(parseText(result, comments), change.path, change.set);
    else if ('remove' in change) result = removeAll(result, comments, change.path, false);
    else {
      result = removeAll(result, comments, change.path, true);
      result = rename(result, comments, change.path, change.rename);
    }
  }
  return result;
};
