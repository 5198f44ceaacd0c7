import { type Plugin, parseAst } from 'vite';

/** What the page reads of an endpoint's record, and of the row of an error code. Types are erased anyway. */
const OF_ENDPOINT: ReadonlySet<string> = new Set([
  'method',
  'path',
  'ofRoot',
  'bodyLimitBytes',
  'success',
  'conditional',
]);
const OF_ERROR: ReadonlySet<string> = new Set(['title', 'advice']);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

type Fields = Node & Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const childrenOf = (node: Fields): Fields[] => Object.values(node).flat().filter(isNode);

const nameOf = (node: unknown): unknown => (isNode(node) ? (node.name ?? node.value) : undefined);

/** A text to write instead of a part of a file. */
type Edit = Pick<Node, 'start' | 'end'> & { readonly text?: string };

/** Yields edits that remove the parts of an object that the page doesn't read, with the commas after them. */
function* unread(node: Fields, read: ReadonlySet<string>, code: string): Generator<Edit> {
  if (node.type !== 'ObjectExpression') return;
  for (const property of node.properties as Fields[]) {
    const isRead = property.type === 'Property' && read.has(String(nameOf(property.key)));
    const comma = /^\s*,/.exec(code.slice(property.end))?.[0] ?? '';
    if (isRead) yield* unread(property.value as Fields, read, code);
    else yield { start: property.start, end: property.end + comma.length };
  }
}

/** Yields edits that remove what only the server needs from the endpoints in a file. */
function* endpointEdits(node: Fields, code: string): Generator<Edit> {
  if (node.type === 'CallExpression' && nameOf(node.callee) === 'defineEndpoint')
    for (const record of node.arguments as Fields[]) yield* unread(record, OF_ENDPOINT, code);
  else for (const child of childrenOf(node)) yield* endpointEdits(child, code);
}

const tableOf = (node: Fields): Fields => (isNode(node.expression) ? tableOf(node.expression) : node);

function* errorEdits(init: Fields, code: string): Generator<Edit> {
  const table = tableOf(init);
  if (table.type !== 'ObjectExpression') return;
  for (const row of table.properties as Fields[])
    if (row.type === 'Property') yield* unread(row.value as Fields, OF_ERROR, code);
}

const callsAtOnce = (node: Fields): boolean =>
  node.type === 'CallExpression' || (!/Function/.test(node.type) && childrenOf(node).some(callsAtOnce));

function* editsOf(program: Fields, code: string): Generator<Edit> {
  for (const statement of program.body as Fields[]) {
    const declared = isNode(statement.declaration) ? statement.declaration : statement;
    if (declared.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declared.declarations as Fields[]) {
      if (!isNode(init)) continue;
      const isPure = callsAtOnce(init);
      // Rolldown drops such a value if nothing uses it, and then also what only this value uses.
      if (isPure) yield { start: init.start, end: init.start, text: '/* @__PURE__ */ (() => (' };
      yield* /^(\w+_)?ERRORS$/.test(String(nameOf(id))) ? errorEdits(init, code) : endpointEdits(init, code);
      if (isPure) yield { start: init.end, end: init.end, text: '))()' };
    }
  }
}

/** Removes from a file of the API contract what only the server needs: schemas, texts and statuses. */
export const forPage = (code: string): string => {
  let rest = '';
  let at = 0;
  for (const { start, end, text = '' } of editsOf(parseAst(code, { lang: 'ts' }) as Node as Fields, code)) {
    rest += code.slice(at, start) + text;
    at = end;
  }
  return rest + code.slice(at);
};

const OF_CONTRACT = /[\\/]src[\\/]shared[\\/]api[\\/].+\.ts$/;
const OF_ZOD = /[\\/]node_modules[\\/]zod[\\/]/;

/**
 * Gives the page the addresses of the contract, and keeps its schemas out, because the server validates what it sends. The
 * build fails if zod comes back.
 */
export const pageContract: Plugin = {
  name: 'page-contract',
  enforce: 'pre',
  transform: (code, id) => (OF_CONTRACT.test(id) ? { code: forPage(code), map: null } : null),
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const found = Object.entries(chunk.modules).find(
        ([id, { renderedLength }]) => OF_ZOD.test(id) && renderedLength > 0,
      );
      if (found)
        this.error(`${chunk.fileName} contains ${found[0]}. The page trusts the types of responses.`);
    }
  },
};
