// Apart from its one user, because each feature's routes have this name.
import { type AgentProfile, listProfiles } from '../../shared/api/profiles.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';

/** The route of profiles. `list` throws `root_unavailable`. */
export const profilesRoutes =
  (list: () => Promise<PreparedBody<{ agents: AgentProfile[] }>>): Routes =>
  (bind) => {
    bind(listProfiles, list);
  };
