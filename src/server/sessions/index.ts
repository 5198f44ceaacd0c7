import { deleteSession, getResumeCommand, listSessions, readSession } from '../../shared/api/sessions.ts';
import type { RunCommand } from '../../shared/run-command.ts';
import type { Feature } from '../feature.ts';
import type { SessionPlace, SessionsService } from './sessions.service.ts';

interface SessionsFeatureDeps {
  sessions: SessionsService;
  resumeCommand(agent: string, session: SessionPlace): Promise<RunCommand>;
  /** Returns the name of the trash item. */
  moveToTrash(agent: string, session: SessionPlace): Promise<string>;
  /** Removes the session of a run for a customer. */
  removeSold(session: SessionPlace): Promise<void>;
}

/** Creates the routes for agents' sessions. */
export const createSessions = ({
  sessions,
  resumeCommand,
  moveToTrash,
  removeSold,
}: SessionsFeatureDeps): Feature => ({
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
      if (!session.isOfSale) return { ok: true as const, entry: await moveToTrash(session.agent, session) };
      // The trash is in the root, where a customer's text must not be.
      await removeSold(session);
      return { ok: true as const };
    });
  },
});
