import { parse } from 'yaml';

/** What pi's `dist/utils/frontmatter.js` returns (0.87.1 to 1.6.0), word for word. Undefined where it throws. */
export const piFrontmatter = (content: string): unknown => {
  const text = content
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');
  const end = text.startsWith('---') ? text.indexOf('\n---', 3) : -1;
  const yaml = end === -1 ? '' : text.slice(4, end);
  if (yaml === '') return {};
  try {
    return parse(yaml, { logLevel: 'error' }) ?? {};
  } catch {
    return undefined;
  }
};
