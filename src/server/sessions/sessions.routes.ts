import { periodOf } from '../../shared/api/fields.ts';
import { deleteSession, getResumeCommand, readSession } from '../../shared/api/sessions.ts';
import { getUsage, listLastRuns, listSessions } from '../../shared/api/usage.ts';
import type { RunCommand } from '../../shared/run-command.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { SessionPlace, SessionsService } from './sessions.service.ts';

/** What other features do with a session. */
export interface SessionTasks {
  resumeCommand(session: SessionPlace): Promise<RunCommand>;
  /** Returns the name of the trash entry. */
  moveToTrash(session: SessionPlace): Promise<string>;
}

/** The routes of what agents spend on models, and of their sessions. */
export const sessionsRoutes =
  (sessions: SessionsService, { resumeCommand, moveToTrash }: SessionTasks): Routes =>
  (bind) => {
    bind(getUsage, ({ query }) => sessions.usage(query.groupBy, periodOf(query), query.agent));
    bind(listLastRuns, () => sessions.lastRuns());
    bind(listSessions, ({ params: { id }, query: { cursor, limit, q } }) =>
      sessions.list(id, { cursor, limit, search: q }),
    );
    bind(readSession, ({ params: { session: id }, query: { agent, cursor, limit } }) =>
      sessions.transcript({ id, agent }, { cursor, limit }),
    );
    bind(getResumeCommand, async ({ params: { session: id }, query: { agent } }) =>
      resumeCommand(await sessions.place({ id, agent })),
    );
    bind(deleteSession, async ({ params: { session: id }, query: { agent } }) => ({
      ok: true as const,
      entry: await moveToTrash(await sessions.place({ id, agent })),
    }));
  };
