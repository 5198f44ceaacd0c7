// Separate from the thread, because the capture tests use it without one.
import type { ReadFrontmatter } from '../../pi/skills-seen-by-pi.ts';

/** Parses frontmatter and reports problems. */
type ParseFrontmatter = (text: string) => {
  readonly data: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly unknown[];
};

/**
 * Creates a function that reads frontmatter as pi does: with any line endings, and without fields if there's no
 * frontmatter.
 */
export const skillFrontmatter =
  (parse: ParseFrontmatter): ReadFrontmatter =>
  (text) => {
    const normalized = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
    if (!normalized.startsWith('---')) return {};
    const { data, diagnostics } = parse(normalized);
    return diagnostics.length > 0 ? undefined : data;
  };
