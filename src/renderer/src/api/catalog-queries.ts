import { queryOptions, skipToken } from '@tanstack/react-query';
import {
  type Diagnostic,
  listExtensions,
  listPromptTemplates,
  listSkills,
  listThemes,
  listUsage,
  readEntryText,
  type TextKind,
} from '../../../shared/api/catalog.ts';
import { checkSharedSkill } from '../../../shared/api/checks.ts';
import { getLinkMatrix } from '../../../shared/api/links.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

/** A shared entry of any kind. */
export interface SharedItem {
  readonly name: string;
  readonly path: string;
  readonly description?: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Set only for an extension. */
  readonly kind?: 'file' | 'dir';
  /** For a prompt template: the text after the slash, and its arguments. */
  readonly command?: string;
  readonly argumentHint?: string | undefined;
}

const lists: Readonly<Record<LinkKind, (signal: AbortSignal) => Promise<readonly SharedItem[]>>> = {
  extensions: async (signal) => (await call(listExtensions, {}, signal)).extensions,
  skills: async (signal) => (await call(listSkills, {}, signal)).skills,
  prompts: async (signal) => (await call(listPromptTemplates, {}, signal)).prompts,
  themes: async (signal) => (await call(listThemes, {}, signal)).themes,
};

/** Queries the shared entries of a kind, with their problems. */
export const catalogQuery = (kind: LinkKind) =>
  queryOptions({ queryKey: keys.catalog(kind), queryFn: ({ signal }) => lists[kind](signal) });

/** Queries the agents that link to a kind's shared entries. */
export const usageQuery = (kind: LinkKind) =>
  queryOptions({
    queryKey: keys.usage(kind),
    queryFn: async ({ signal }) => (await call(listUsage[kind], {}, signal)).usage,
  });

/** Returns whether an entry of this kind has text to show. */
export const hasText = (kind: LinkKind): kind is TextKind => kind !== 'extensions';

/**
 * Queries the text of a shared entry, or of an agent's entry with this name. Fetches nothing for a kind without text.
 * Events don't report every change.
 */
export const entryTextQuery = (kind: LinkKind, name: string, agent: string | undefined) =>
  queryOptions({
    queryKey: keys.entryText(kind, name, agent),
    queryFn: hasText(kind)
      ? ({ signal }) => call(readEntryText[kind], { params: { name }, query: { agent } }, signal)
      : skipToken,
    staleTime: 0,
  });

/** Queries all agents and all shared entries of a kind. */
export const matrixQuery = (kind: LinkKind) =>
  queryOptions({
    queryKey: keys.matrix(kind),
    queryFn: ({ signal }) => call(getLinkMatrix, { query: { kind } }, signal),
  });

/** Queries the findings in a shared skill. */
export const skillChecksQuery = (name: string) =>
  queryOptions({
    queryKey: keys.skillChecks(name),
    queryFn: ({ signal }) => call(checkSharedSkill, { params: { name } }, signal),
  });
