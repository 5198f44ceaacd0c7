import { queryOptions } from '@tanstack/react-query';
import { listExtensions, listSkills, listUsage, readSkillText } from '../../../shared/api/catalog.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

/** Which agents link to the shared entries of a kind. */
export const usageQuery = (kind: LinkKind) =>
  queryOptions({
    queryKey: keys.usage(kind),
    queryFn: async ({ signal }) => (await call(listUsage[kind], {}, signal)).usage,
  });

/** The shared extensions. */
export const extensionsQuery = () =>
  queryOptions({
    queryKey: keys.catalog('extensions'),
    queryFn: async ({ signal }) => (await call(listExtensions, {}, signal)).extensions,
  });

/** The shared skills, each with its diagnostics. */
export const skillsQuery = () =>
  queryOptions({
    queryKey: keys.catalog('skills'),
    queryFn: async ({ signal }) => (await call(listSkills, {}, signal)).skills,
  });

/** The SKILL.md of a shared skill, or of the entry with this name of an agent. No event reports each change. */
export const skillTextQuery = (name: string, agent: string | undefined) =>
  queryOptions({
    queryKey: keys.skillText(name, agent),
    queryFn: ({ signal }) => call(readSkillText, { params: { name }, query: { agent } }, signal),
    staleTime: 0,
  });
