import { getEarnings } from '../../shared/api/earnings.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { ReadEarnings } from './earnings.service.ts';

const msOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time);

/** The route of what agents earned, spent and have left. */
export const earningsRoutes =
  (read: ReadEarnings): Routes =>
  (bind) => {
    bind(getEarnings, ({ query: { groupBy, from, to } }) =>
      read(groupBy, { fromMs: msOf(from), toMs: msOf(to) }),
    );
  };
