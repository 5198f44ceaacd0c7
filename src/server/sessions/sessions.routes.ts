import { getUsage, listSessions } from '../../shared/api/usage.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { SessionsService } from './sessions.service.ts';

const msOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time);

/** The routes of what agents spend on models, and of their sessions. */
export const sessionsRoutes =
  (sessions: SessionsService): Routes =>
  (bind) => {
    bind(getUsage, ({ query: { groupBy, from, to } }) =>
      sessions.usage(groupBy, { fromMs: msOf(from), toMs: msOf(to) }),
    );
    bind(listSessions, ({ params: { id }, query: { cursor, limit } }) =>
      sessions.list(id, { cursor, limit }),
    );
  };
