import { type AgentLinkCounts, countLinks, links as endpoints } from '../../shared/api/links.ts';
import { LINK_KINDS } from '../../shared/api/names.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { LinksService } from './links.service.ts';

/** Counts the links of all agents. Throws `root_unavailable`. */
export type LinkCounter = () => Promise<PreparedBody<{ agents: AgentLinkCounts[] }>>;

/** The link routes of each kind, and the count of all links. */
export const linksRoutes =
  (links: LinksService, count: LinkCounter): Routes =>
  (bind) => {
    bind(countLinks, () => count());
    for (const kind of LINK_KINDS) {
      bind(endpoints[kind].list, async ({ params }) => ({ entries: await links.list(params.id, kind) }));
      bind(endpoints[kind].create, async ({ params, body }) => ({
        ok: true as const,
        entry: await links.create(params.id, kind, body.name, body.replaceBroken ?? false),
      }));
      bind(endpoints[kind].remove, async ({ params }) => {
        await links.remove(params.id, kind, params.name);
        return { ok: true as const };
      });
      bind(endpoints[kind].restore, async ({ params }) => ({
        ok: true as const,
        entry: await links.restore(params.id, kind, params.name),
      }));
    }
  };
