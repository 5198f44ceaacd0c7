import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { BUNDLED_SKILL, installSkill, type SharedEntryUsage } from '../../../../shared/api/catalog.ts';
import type { FindingCounts, SkillCheckCounts } from '../../../../shared/api/checks.ts';
import { byKind, LINK_KINDS, type LinkKind } from '../../../../shared/api/names.ts';
import { catalogQuery, type SharedItem, usageQuery } from '../../api/catalog-queries.ts';
import { callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { checkCountsQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { useChange } from '../../changes/changes.ts';
import { paths } from '../../routes.ts';
import { catalog as words } from '../../strings/catalog.ts';

/** The shared entries of one kind. */
export type CatalogStatus = Unread | { readonly status: 'ready'; readonly items: readonly SharedItem[] };

/** Loads all catalogs, so that switching between them is instant. */
export const useCatalog = (): Readonly<Record<LinkKind, CatalogStatus>> => {
  const queries = useQueries({ queries: LINK_KINDS.map(catalogQuery) });
  return byKind((kind) => {
    const query = queries[LINK_KINDS.indexOf(kind)];
    return query ? statusOf(query) : { status: 'loading' };
  });
};

const statusOf = (query: Parameters<typeof readStatus<readonly SharedItem[]>>[0]): CatalogStatus => {
  const read = readStatus(query);
  return read.status === 'ready' ? { status: 'ready', items: read.data } : read;
};

/** The agents that use each shared entry, by entry name. Unused entries are absent. */
export type UsedBy = ReadonlyMap<string, readonly string[]>;

const byName = (usage: readonly SharedEntryUsage[]): UsedBy =>
  new Map(usage.map(({ name, agents }) => [name, agents]));

/** Loads which agents use a kind's entries. Undefined until loaded, so the catalog doesn't wait for it. */
export const useUsage = (kind: LinkKind): UsedBy | undefined =>
  useQuery({ ...usageQuery(kind), select: byName }).data;

/** The number of findings in each shared skill, by its name. Skills without findings are absent. */
export type ProblemCounts = ReadonlyMap<string, SkillCheckCounts>;

const bySkill = ({ skills }: FindingCounts): ProblemCounts =>
  new Map(skills.map((skill) => [skill.name, skill]));

/** Loads the shared skills' finding counts. Undefined until loaded, and for the other kinds, which have no checks. */
export const useProblemCounts = (kind: LinkKind): ProblemCounts | undefined =>
  useQuery({ ...checkCountsQuery(), select: bySkill, enabled: kind === 'skills' }).data;

/** The DOM id of the list, which gets focus when the focused button disappears. */
export const CATALOG_LIST_ID = 'catalog-list';

/** Offers dot-mi's bundled skill to a root without a skill of that name. */
interface BundledSkillOffer {
  readonly isMissing: boolean;
  readonly isAdding: boolean;
  readonly add: () => void;
}

/** Adds dot-mi's bundled skill, with undo, and then opens it. */
export const useBundledSkill = (skills: CatalogStatus): BundledSkillOffer => {
  const [, navigate] = useLocation();
  const adding = useChange({
    make: () => callForChange(installSkill, {}),
    said: ({ created }) => (created ? words.skillAdded : null),
    failed: () => words.addSkillFailed,
    onMade: () => navigate(paths.catalogEntry('skills', BUNDLED_SKILL)),
    onReverted: (isUndone) => navigate(paths.catalogEntry('skills', isUndone ? null : BUNDLED_SKILL)),
    refresh: after.catalog('skills'),
  });
  const isMissing = skills.status === 'ready' && !skills.items.some(({ name }) => name === BUNDLED_SKILL);
  const isAdded = adding.isSuccess && !isMissing;
  // The button that had focus is gone.
  useEffect(() => {
    if (isAdded) document.getElementById(CATALOG_LIST_ID)?.focus();
  }, [isAdded]);
  return { isMissing, isAdding: adding.isPending, add: () => adding.mutate() };
};
