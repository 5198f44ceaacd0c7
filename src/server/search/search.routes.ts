// Apart from its one user, because each feature's routes have this name.
import { type PromptMatches, searchPrompts } from '../../shared/api/search.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { PromptSearch } from './search-prompts.ts';

/** Searches the text of all agents' files. Throws `root_unavailable`. */
type PromptSearcher = (search: PromptSearch) => Promise<PreparedBody<PromptMatches>>;

/** The route that searches prompts. */
export const searchRoutes =
  (search: PromptSearcher): Routes =>
  (bind) => {
    bind(searchPrompts, ({ query }) => search({ text: query.q, limit: query.limit }));
  };
