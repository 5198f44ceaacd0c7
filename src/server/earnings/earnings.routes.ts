import { getEarnings } from '../../shared/api/earnings.ts';
import { periodOf } from '../../shared/api/fields.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { ReadEarnings } from './earnings.service.ts';

/** The route of what agents earned, spent and have left. */
export const earningsRoutes =
  (read: ReadEarnings): Routes =>
  (bind) => {
    bind(getEarnings, ({ query }) => read(query.groupBy, periodOf(query), query.agent));
  };
