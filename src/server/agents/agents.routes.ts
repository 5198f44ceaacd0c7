import {
  createAgent,
  deleteAgent,
  duplicateAgent,
  getAgent,
  getRunCommand,
  listAgents,
} from '../../shared/api/agents.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { AgentsService } from './agents.service.ts';

/** The routes of agents as a whole. */
export const agentsRoutes =
  (agents: AgentsService): Routes =>
  (bind) => {
    bind(listAgents, () => agents.list());
    bind(getAgent, ({ params }) => agents.summarize(params.id));
    bind(getRunCommand, ({ params }) => agents.runCommand(params.id));
    bind(createAgent, async ({ body }) => {
      await agents.create(body.name, body.workspace ?? false);
      return { ok: true as const, id: body.name };
    });
    bind(duplicateAgent, async ({ params, body }) => {
      const leftOut = await agents.duplicate(params.id, body.name);
      return { ok: true as const, id: body.name, leftOut };
    });
    bind(deleteAgent, async ({ params, body }) => ({
      ok: true as const,
      entry: await agents.delete(params.id, body.confirm),
    }));
  };
