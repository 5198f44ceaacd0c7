import { checkRoot, setUpRoot } from '../../shared/api/root.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { RootService } from './root.service.ts';

/** The routes that look at a folder, or set it up, before it becomes the root. */
export const rootRoutes =
  (root: RootService): Routes =>
  (bind) => {
    bind(checkRoot, ({ query }) => root.check(query.path));
    bind(setUpRoot, ({ body }) => root.setUp(body.path));
  };
