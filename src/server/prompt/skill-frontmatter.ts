// Apart from the thread, because the tests of captures use it without one.
import type { ReadFrontmatter } from '../../shared/pi/skills-seen-by-pi.ts';

/** A parser of frontmatter that reports what is wrong. */
type ParseFrontmatter = (text: string) => {
  readonly data: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly unknown[];
};

/** Reads frontmatter as pi does: with any line ends, and a file without any has no fields. */
export const skillFrontmatter =
  (parse: ParseFrontmatter): ReadFrontmatter =>
  (text) => {
    const normalized = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
    if (!normalized.startsWith('---')) return {};
    const { data, diagnostics } = parse(normalized);
    return diagnostics.length > 0 ? undefined : data;
  };
