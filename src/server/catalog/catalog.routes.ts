import {
  listExtensions,
  listSkills,
  type SharedExtension,
  type SharedSkill,
} from '../../shared/api/catalog.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';

/** Reads the catalogs. Throws `root_unavailable`. */
export interface CatalogReader {
  extensions(): Promise<PreparedBody<{ extensions: SharedExtension[] }>>;
  skills(): Promise<PreparedBody<{ skills: SharedSkill[] }>>;
}

/** The routes of the shared extensions and skills. */
export const catalogRoutes =
  (catalog: CatalogReader): Routes =>
  (bind) => {
    bind(listExtensions, () => catalog.extensions());
    bind(listSkills, () => catalog.skills());
  };
