import { periodOf } from '../../shared/api/period.ts';
import { getUsage, listSessions } from '../../shared/api/usage.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { SessionsService } from './sessions.service.ts';

/** The routes of what agents spend on models, and of their sessions. */
export const sessionsRoutes =
  (sessions: SessionsService): Routes =>
  (bind) => {
    bind(getUsage, ({ query }) => sessions.usage(query.groupBy, periodOf(query)));
    bind(listSessions, ({ params: { id }, query: { cursor, limit } }) =>
      sessions.list(id, { cursor, limit }),
    );
  };
