import { changeLinks, countLinks, links as endpoints, getLinkMatrix } from '../../shared/api/links.ts';
import { LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import type { Base, Feature } from '../feature.ts';
import type { ChangeItem, LinksAccess } from '../platform/changes.ts';
import { hostLinks } from '../platform/create-link.ts';
import { type BulkLinksService, createBulkLinks } from './bulk-links.ts';
import { createLinksAccess, createTargetOf, linkItem, unlinkItem } from './change-links.ts';
import { createLinksService } from './links.service.ts';

type LinksFeatureDeps = Pick<Base, 'root' | 'disk' | 'nearDisk' | 'changes' | 'linkSystem'>;

interface LinksFeature extends Feature {
  /** Plans to change many links. */
  readonly plan: BulkLinksService['plan'];
  /** Returns the item that creates or removes one link. */
  item(id: string, kind: LinkKind, name: string, isLinked: boolean): ChangeItem;
  /** Reads and changes links in an agent's open directory. */
  readonly access: LinksAccess;
}

/** Creates the link routes for each kind, the routes for all agents, and the total counts. */
export const createLinks = ({
  root,
  disk,
  nearDisk,
  changes,
  linkSystem,
}: LinksFeatureDeps): LinksFeature => {
  const links = createLinksService({ root, changes, ask: disk.ask, nearDisk, system: linkSystem });
  const bulk = createBulkLinks(root, changes);
  const targetOf = createTargetOf(root);
  return {
    routes(bind) {
      bind(countLinks, () => disk.list('linkCounts'));
      bind(getLinkMatrix, ({ query }) => disk.list(`${query.kind}Matrix`));
      bind(changeLinks, ({ body }) => bulk.change(body));
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
      }
    },
    plan: bulk.plan,
    item: (id, kind, name, isLinked) =>
      isLinked
        ? linkItem(targetOf, id, kind, name, { replaceBroken: true, keepsOwn: true })
        : unlinkItem(id, kind, name, false),
    access: createLinksAccess(root, linkSystem ?? hostLinks),
  };
};
