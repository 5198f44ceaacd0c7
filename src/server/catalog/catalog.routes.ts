import {
  listExtensions,
  listSkills,
  type SharedExtension,
  type SharedSkill,
} from '../../shared/api/catalog.ts';
import type { Routes } from '../http/bind-endpoint.ts';

/** Reads the catalogs; each the same frozen object while nothing changed. Throws `root_unavailable`. */
export interface CatalogReader {
  extensions(): Promise<{ extensions: SharedExtension[] }>;
  skills(): Promise<{ skills: SharedSkill[] }>;
}

/** The routes of the shared extensions and skills. */
export const catalogRoutes =
  (catalog: CatalogReader): Routes =>
  (bind) => {
    bind(listExtensions, () => catalog.extensions());
    bind(listSkills, () => catalog.skills());
  };
