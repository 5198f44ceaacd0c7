import type { Plugin } from 'vite';

/**
 * What these packages are loaded for, and why nothing here calls them:
 * - body-parser, by Express: every body is read as bytes, with raw-body.
 * - iconv-lite, by raw-body: bytes need no decoder. Its tables of other encodings are 250 KB.
 * - esprima, by gray-matter's own YAML parser, for functions in YAML: our YAML parser replaces that one, and has none.
 */
const UNUSED = new Set(['body-parser', 'iconv-lite', 'esprima']);
const EMPTY = '\0unused:';

/** Replaces packages that a dependency loads and nothing calls by empty modules: each start would read and keep them. */
export const withoutUnusedPackages: Plugin = {
  name: 'without-unused-packages',
  enforce: 'pre',
  apply: 'build',
  resolveId: (id) => (UNUSED.has(id) ? `${EMPTY}${id}` : undefined),
  load: (id) => (id.startsWith(EMPTY) ? 'export default {};' : undefined),
};
