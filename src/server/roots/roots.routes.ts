import { listRoots } from '../../shared/api/roots.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { RootsService } from './roots.service.ts';

/** The route of the known roots. */
export const rootsRoutes =
  (roots: RootsService): Routes =>
  (bind) => {
    bind(listRoots, async () => ({ roots: await roots.list() }));
  };
