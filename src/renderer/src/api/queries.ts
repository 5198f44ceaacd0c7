import { queryOptions } from '@tanstack/react-query';
import { getAgent, listAgents } from '../../../shared/api/agents.ts';
import { listExtensions, listSkills } from '../../../shared/api/catalog.ts';
import { readFile } from '../../../shared/api/files.ts';
import { getHealth } from '../../../shared/api/health.ts';
import { links } from '../../../shared/api/links.ts';
import type { EditableFile, LinkKind } from '../../../shared/api/names.ts';
import { listTrash } from '../../../shared/api/trash.ts';
import { call } from './client.ts';

/** The cache keys, each the beginning of those below it: `keys.agent(id)` covers the summary and all its files. */
export const keys = {
  health: ['health'],
  agentList: ['agent-list'],
  agents: ['agent'],
  agent: (id: string) => ['agent', id],
  summary: (id: string) => ['agent', id, 'summary'],
  file: (id: string, file: EditableFile) => ['agent', id, 'file', file],
  allLinks: ['links'],
  linksOf: (id: string) => ['links', id],
  links: (id: string, kind: LinkKind) => ['links', id, kind],
  catalog: (kind: LinkKind) => ['catalog', kind],
  trash: ['trash'],
} as const;

/** Health of the API: its root, version and mode. */
export const healthQuery = () =>
  queryOptions({ queryKey: keys.health, queryFn: ({ signal }) => call(getHealth, {}, signal) });

/** All agents, sorted by id. */
export const agentListQuery = () =>
  queryOptions({
    queryKey: keys.agentList,
    queryFn: async ({ signal }) => (await call(listAgents, {}, signal)).agents,
  });

/** One agent and which of its files exist. */
export const summaryQuery = (id: string) =>
  queryOptions({
    queryKey: keys.summary(id),
    queryFn: ({ signal }) => call(getAgent, { params: { id } }, signal),
  });

/** One file as it is on disk. */
export const fileQuery = (id: string, file: EditableFile) =>
  queryOptions({
    queryKey: keys.file(id, file),
    queryFn: ({ signal }) => call(readFile, { params: { id }, query: { path: file } }, signal),
  });

/** What is in the extensions or skills directory of an agent. */
export const linksQuery = (id: string, kind: LinkKind) =>
  queryOptions({
    queryKey: keys.links(id, kind),
    queryFn: async ({ signal }) => (await call(links[kind].list, { params: { id } }, signal)).entries,
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

/** The deleted agents, newest first. */
export const trashQuery = () =>
  queryOptions({
    queryKey: keys.trash,
    queryFn: async ({ signal }) => (await call(listTrash, {}, signal)).entries,
  });
