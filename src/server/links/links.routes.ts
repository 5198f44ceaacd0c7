import { links as endpoints } from '../../shared/api/links.ts';
import { LINK_KINDS } from '../../shared/api/names.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { LinksService } from './links.service.ts';

/** The link routes of each kind. */
export const linksRoutes =
  (links: LinksService): Routes =>
  (bind) => {
    for (const kind of LINK_KINDS) {
      bind(endpoints[kind].list, async ({ params }) => ({ entries: await links.list(params.id, kind) }));
      bind(endpoints[kind].create, async ({ params, body }) => ({
        ok: true as const,
        entry: await links.create(params.id, kind, body.name),
      }));
      bind(endpoints[kind].remove, async ({ params }) => {
        await links.remove(params.id, kind, params.name);
        return { ok: true as const };
      });
    }
  };
