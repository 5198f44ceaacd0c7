import { type AgentLinkCounts, countLinks, links as endpoints } from '../../shared/api/links.ts';
import { changeLinks, undoLinks } from '../../shared/api/links-bulk.ts';
import { getLinkMatrix, type LinkMatrix } from '../../shared/api/links-matrix.ts';
import { LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { BulkLinksService } from './bulk-links.ts';
import type { LinksService } from './links.service.ts';

/** Counts the links of all agents. Throws `root_unavailable`. */
type LinkCounter = () => Promise<PreparedBody<{ agents: AgentLinkCounts[] }>>;

/** Reads the matrix of a kind. Throws `root_unavailable`, `outside_root`. */
type MatrixReader = (kind: LinkKind) => Promise<PreparedBody<LinkMatrix>>;

/** What the link routes need. */
interface LinksDeps {
  links: LinksService;
  bulk: BulkLinksService;
  count: LinkCounter;
  matrix: MatrixReader;
}

/** The link routes of each kind, the routes over all agents, and the count of all links. */
export const linksRoutes =
  ({ links, bulk, count, matrix }: LinksDeps): Routes =>
  (bind) => {
    bind(countLinks, () => count());
    bind(getLinkMatrix, ({ query }) => matrix(query.kind));
    bind(changeLinks, ({ body }) => bulk.change(body));
    bind(undoLinks, ({ params }) => bulk.undo(params.undo));
    for (const kind of LINK_KINDS) {
      bind(endpoints[kind].list, ({ params }) => links.list(params.id, kind));
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
