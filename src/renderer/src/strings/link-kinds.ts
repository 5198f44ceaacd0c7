import { byKind, LINK_KIND_SHAPES, type LinkKind } from '../../../shared/api/names.ts';
import { list, many } from './words.ts';

/** The kinds of shared entries, in the window's order. */
export const SHOWN_KINDS = [
  'skills',
  'extensions',
  'prompts',
  'themes',
] as const satisfies readonly LinkKind[];

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Returns a string for each kind, made from its plural. */
export const forKinds = (make: (plural: string) => string): Readonly<Record<LinkKind, string>> =>
  byKind((kind) => make(LINK_KIND_SHAPES[kind].many));

/** Each kind's two names: one for headings, and one for a single entry. */
export const kindNames = {
  many: forKinds(capitalized),
  one: byKind((kind) => capitalized(LINK_KIND_SHAPES[kind].one)),
};

/** Returns "1 skill" or "2 skills". */
export const counted = (kind: LinkKind, count: number): string =>
  many(count, LINK_KIND_SHAPES[kind].one, LINK_KIND_SHAPES[kind].many);

/** Returns "2 skills and 1 theme". Empty if there are no names. */
export const countedAll = (names: Readonly<Record<LinkKind, readonly string[]>>): string =>
  list.format(
    SHOWN_KINDS.flatMap((kind) => (names[kind].length > 0 ? [counted(kind, names[kind].length)] : [])),
  );
