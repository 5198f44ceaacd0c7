import { useQueries } from '@tanstack/react-query';
import type { LinkKind } from '../../../shared/api/names.ts';
import { catalogQuery } from '../api/catalog-queries.ts';
import { SHOWN_KINDS } from '../strings/link-kinds.ts';

/** Kinds that every root uses. The others are shown once they have entries. */
const ALWAYS_SHOWN: readonly LinkKind[] = ['skills', 'extensions'];

const filled = (
  results: readonly { readonly data?: readonly unknown[] | undefined }[],
): readonly LinkKind[] => SHOWN_KINDS.filter((_, at) => (results[at]?.data?.length ?? 0) > 0);

/** Returns the kinds to offer: common ones, kinds with shared entries, and the kinds in `more`. */
export const useShownKinds = (more: readonly LinkKind[] = []): readonly LinkKind[] => {
  const withEntries = useQueries({ queries: SHOWN_KINDS.map(catalogQuery), combine: filled });
  return SHOWN_KINDS.filter((kind) => [...ALWAYS_SHOWN, ...withEntries, ...more].includes(kind));
};
