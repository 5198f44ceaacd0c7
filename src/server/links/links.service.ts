import type { LinkEntry } from '../../shared/api/links.ts';
import type { LinkKind } from '../../shared/api/names.ts';
import { type Changes, stateAfter } from '../platform/changes.ts';
import { hostLinks, type LinkSystem } from '../platform/create-link.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { Root } from '../platform/root.ts';
import type { NearDisk } from '../root-model/near-disk.ts';
import { type LinksQuestion, readLinks } from './agent-links.ts';
import { createTargetOf, linkItem, linkNotFound, unlinkItem } from './change-links.ts';

/** An agent's links of one kind. */
interface AgentLinks {
  entries: LinkEntry[];
}

interface LinksServiceDeps {
  root: Root;
  changes: Pick<Changes, 'apply'>;
  nearDisk: NearDisk;
  /** Sends a request to the disk thread, which also runs `readLinks`. */
  ask(question: LinksQuestion): Promise<PreparedBody<AgentLinks>>;
  system?: LinkSystem | undefined;
}

/** Lists, creates and removes agents' links. */
interface LinksService {
  /** Synchronous if the root is on a fast local disk. */
  list(id: string, kind: LinkKind): AgentLinks | Promise<PreparedBody<AgentLinks>>;
  /** With `replaceBroken`, replaces a broken link with this name. */
  create(id: string, kind: LinkKind, name: string, replaceBroken: boolean): Promise<LinkEntry>;
  remove(id: string, kind: LinkKind, name: string): Promise<void>;
}

export const createLinksService = ({
  root,
  changes,
  nearDisk,
  ask,
  system = hostLinks,
}: LinksServiceDeps): LinksService => {
  const targetOf = createTargetOf(root);

  const list: LinksService['list'] = (id, kind) => {
    const question = { linksOf: id, kind, platform: system.platform };
    const entries = nearDisk.read(() => readLinks(root, question, undefined));
    return entries ? { entries } : ask(question);
  };

  /** Returns a new link's entry, which settings.json may switch off. */
  const entryNow = async (id: string, kind: LinkKind, name: string): Promise<LinkEntry> => {
    const found = await list(id, kind);
    const { entries }: AgentLinks = 'json' in found ? JSON.parse(found.json.toString()) : found;
    const entry = entries.find((one) => one.name === name);
    // Another program already removed the link.
    if (!entry) throw linkNotFound(kind, name);
    return entry;
  };

  return {
    list,

    async create(id, kind, name, replaceBroken) {
      const item = linkItem(targetOf, id, kind, name, { replaceBroken, keepsOwn: false });
      stateAfter(await changes.apply(`Link ${kind}/${name}`, [item]));
      return entryNow(id, kind, name);
    },

    async remove(id, kind, name) {
      stateAfter(await changes.apply(`Unlink ${kind}/${name}`, [unlinkItem(id, kind, name, true)]));
    },
  };
};
