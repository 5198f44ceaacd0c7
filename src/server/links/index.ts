import { join } from 'node:path';
import {
  changeLinks,
  countLinks,
  links as endpoints,
  getLinkMatrix,
  type LinkChanges,
  undoLinks,
} from '../../shared/api/links.ts';
import { LINK_KINDS } from '../../shared/api/names.ts';
import type { Base, Feature } from '../feature.ts';
import { type BulkLinksService, createBulkLinks } from './bulk-links.ts';
import { createLinksService } from './links.service.ts';
import { createUndoStore } from './undo-store.ts';

type LinksFeatureDeps = Pick<
  Base,
  'config' | 'root' | 'disk' | 'nearDisk' | 'agentLock' | 'logger' | 'linkSystem'
>;

interface LinksFeature extends Feature {
  /** Changes links for the operator. */
  change(changes: LinkChanges): ReturnType<BulkLinksService['change']>;
}

/**
 * Creates the link routes for each kind, the routes for all agents, and the total counts. Undo data for bulk changes
 * is stored in `data/undo`.
 */
export const createLinks = ({
  config,
  root,
  disk,
  nearDisk,
  agentLock,
  logger,
  linkSystem,
}: LinksFeatureDeps): LinksFeature => {
  const links = createLinksService({ root, agentLock, ask: disk.ask, nearDisk, system: linkSystem });
  const undos = createUndoStore(join(config.dataDirectory, 'data', 'undo', root.id), logger);
  const bulk = createBulkLinks(root, agentLock, undos, linkSystem);
  return {
    routes(bind) {
      bind(countLinks, () => disk.list('linkCounts'));
      bind(getLinkMatrix, ({ query }) => disk.list(`${query.kind}Matrix`));
      bind(changeLinks, ({ body }, caller) => bulk.change(body, caller.kind));
      bind(undoLinks, ({ params }) => bulk.undo(params.undo));
      for (const kind of LINK_KINDS) {
        bind(endpoints[kind].list, ({ params }) => links.list(params.id, kind));
        bind(endpoints[kind].create, async ({ params, body }) => ({
          ok: true as const,
          entry: await links.create(params.id, kind, body.name, body.replaceBroken ?? false),
        }));
        bind(endpoints[kind].remove, async ({ params }, caller) => {
          await links.remove(params.id, kind, params.name, caller.kind);
          return { ok: true as const };
        });
        bind(endpoints[kind].restore, async ({ params }, caller) => ({
          ok: true as const,
          entry: await links.restore(params.id, kind, params.name, caller.kind),
        }));
      }
    },
    change: (changes) => bulk.change(changes, 'operator'),
  };
};
