import { deleteSession, getResumeCommand, listSessions, readSession } from '../../shared/api/sessions.ts';
import type { RunCommand } from '../../shared/run-command.ts';
import type { Feature } from '../feature.ts';
import type { SessionPlace, SessionsService } from './sessions.service.ts';

interface SessionsFeatureDeps {
  sessions: SessionsService;
  resumeCommand(agent: string, session: SessionPlace): Promise<RunCommand>;
  /** Returns the name of the trash item. */
  moveToTrash(agent: string, session: SessionPlace): Promise<string>;
}

/** Creates the routes for agents' sessions. */
export const createSessions = ({ sessions, resumeCommand, moveToTrash }: SessionsFeatureDeps): Feature => ({
  routes(bind) {
    bind(listSessions, ({ params: { id }, query: { cursor, limit, q } }) =>
      sessions.list(id, { cursor, limit, search: q }),
    );
    bind(readSession, ({ params: { session: id }, query: { agent, cursor, limit } }) =>
      sessions.transcript({ id, agent }, { cursor, limit }),
    );
    bind(getResumeCommand, async ({ params: { session: id }, query: { agent } }) => {
      const session = await sessions.place({ id, agent });
      return resumeCommand(session.agent, session);
    });
    bind(deleteSession, async ({ params: { session: id }, query: { agent } }) => {
      const session = await sessions.place({ id, agent });
      return { ok: true as const, entry: await moveToTrash(session.agent, session) };
    });
  },
});
