import { useQuery } from '@tanstack/react-query';
import type { SharedEntryUsage, SharedExtension, SharedSkill } from '../../../../shared/api/catalog.ts';
import type { FindingCounts, SkillCheckCounts } from '../../../../shared/api/checks.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { extensionsQuery, skillsQuery, usageQuery } from '../../api/catalog-queries.ts';
import { checkCountsQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';

/** An entry of one of the catalogs. */
export type SharedItem = SharedSkill | SharedExtension;

/** One of the two catalogs. */
export type CatalogStatus<T> = Unread | { readonly status: 'ready'; readonly items: readonly T[] };

/** Reads both catalogs, so that switching between them is instant. */
export const useCatalog = (): {
  readonly skills: CatalogStatus<SharedSkill>;
  readonly extensions: CatalogStatus<SharedExtension>;
} => ({ skills: statusOf(useQuery(skillsQuery())), extensions: statusOf(useQuery(extensionsQuery())) });

const statusOf = <T>(query: Parameters<typeof readStatus<readonly T[]>>[0]): CatalogStatus<T> => {
  const read = readStatus(query);
  return read.status === 'ready' ? { status: 'ready', items: read.data } : read;
};

/** The agents that use each shared entry, by entry name. Unused entries are absent. */
export type Usage = ReadonlyMap<string, readonly string[]>;

const byName = (usage: readonly SharedEntryUsage[]): Usage =>
  new Map(usage.map(({ name, agents }) => [name, agents]));

/** Reads which agents use a kind's entries. Undefined until loaded, so the catalog doesn't wait for it. */
export const useUsage = (kind: LinkKind): Usage | undefined =>
  useQuery({ ...usageQuery(kind), select: byName }).data;

/** The number of findings in each shared skill, by its name. Skills without findings are absent. */
export type ProblemCounts = ReadonlyMap<string, SkillCheckCounts>;

const bySkill = ({ skills }: FindingCounts): ProblemCounts =>
  new Map(skills.map((skill) => [skill.name, skill]));

/** Reads the findings of the shared skills. Undefined until loaded, and for extensions, which have no checks. */
export const useProblemCounts = (kind: LinkKind): ProblemCounts | undefined =>
  useQuery({ ...checkCountsQuery(), select: bySkill, enabled: kind === 'skills' }).data;
