import type { ApiError } from '../../api/client.ts';

/** What a source said instead of a price. */
export interface RefusedSource {
  readonly name: string;
  readonly reason: string;
}

/** What each source said, of the error of a refresh. Nothing when the error is another one. */
export const refusedSources = ({ details }: Pick<ApiError, 'details'>): readonly RefusedSource[] => {
  const sources = details?.sources;
  if (typeof sources !== 'object' || sources === null) return [];
  return Object.entries(sources).map(([name, reason]) => ({ name, reason: String(reason) }));
};
