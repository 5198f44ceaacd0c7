import { useQueries } from '@tanstack/react-query';
import type { LinkKind } from '../../shared/api/names.ts';
import { catalogQuery } from './api/catalog-queries.ts';
import { SHOWN_KINDS } from './strings/link-kinds.ts';

/** Every root uses these. The others are shown once they have entries. */
const ALWAYS_SHOWN: readonly LinkKind[] = ['skills', 'extensions'];

const filled = (
  results: readonly { readonly data?: readonly unknown[] | undefined }[],
): readonly LinkKind[] => SHOWN_KINDS.filter((_, at) => (results[at]?.data?.length ?? 0) > 0);

/** The kinds to offer: those with shared entries, the common ones, and those in `more`, such as the open one. */
export const useShownKinds = (more: readonly LinkKind[] = []): readonly LinkKind[] => {
  const withEntries = useQueries({ queries: SHOWN_KINDS.map(catalogQuery), combine: filled });
  return SHOWN_KINDS.filter((kind) => [...ALWAYS_SHOWN, ...withEntries, ...more].includes(kind));
};
