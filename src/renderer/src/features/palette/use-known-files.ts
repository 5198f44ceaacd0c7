import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES } from '../../../../shared/api/names.ts';
import { summaryQuery } from '../../api/queries.ts';
import type { KnownFiles } from './quick-targets.ts';

/** The list of agents does not tell their optional files. So many of the likeliest agents are asked for them. */
const ASKED = 3;

const toKnownFiles = (results: readonly Pick<UseQueryResult<AgentSummary>, 'data'>[]): KnownFiles => {
  const byId = new Map(results.map(({ data }) => [data?.id, data]));
  return (id) => EDITABLE_FILES.filter((file) => byId.get(id)?.files[file].exists);
};

/** Reads which files the first of some agents have; of those that were not read yet none is known. The same until that changes. */
export const useKnownFiles = (ids: readonly string[]): KnownFiles =>
  useQueries({ queries: ids.slice(0, ASKED).map(summaryQuery), combine: toKnownFiles });
