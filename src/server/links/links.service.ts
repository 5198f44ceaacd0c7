import { LRUCache } from 'lru-cache';
import type { LinkEntry } from '../../shared/api/links.ts';
import type { LinkKind } from '../../shared/api/names.ts';
import { withAgent } from '../platform/agent-directory.ts';
import { AppError } from '../platform/app-error.ts';
import { type Caller, perCallerKind } from '../platform/caller.ts';
import { hostLinks, type LinkSystem } from '../platform/create-link.ts';
import { type DirectoryHandle, withDirectory } from '../platform/directory-handle.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import type { Root } from '../platform/root.ts';
import type { NearDisk } from '../root-model/near-disk.ts';
import { type LinksQuestion, readLinks } from './agent-links.ts';
import { brokenLinkStays, createLinkSteps, type LinkFolder, linkNotFound } from './change-links.ts';
import { linkTextTo } from './resolve-link.ts';

/** How many removed links of each kind of caller can be restored. */
const MAX_REMOVED = 1_000;

/** An agent's links of one kind. */
interface AgentLinks {
  entries: LinkEntry[];
}

interface LinksServiceDeps {
  root: Root;
  /** Locked by agent id during every change to an agent's directory. */
  agentLock: KeyedLock;
  nearDisk: NearDisk;
  /** Sends a request to the disk thread, which also runs `readLinks`. */
  ask(question: LinksQuestion): Promise<PreparedBody<AgentLinks>>;
  system?: LinkSystem | undefined;
}

/** Lists, creates, removes and restores agents' links. */
export interface LinksService {
  /** Synchronous if the root is on a fast local disk. */
  list(id: string, kind: LinkKind): AgentLinks | Promise<PreparedBody<AgentLinks>>;
  /** With `replaceBroken`, replaces a broken link with this name. */
  create(id: string, kind: LinkKind, name: string, replaceBroken: boolean): Promise<LinkEntry>;
  remove(id: string, kind: LinkKind, name: string, by: Caller['kind']): Promise<void>;
  /**
   * Recreates a link that {@link LinksService.remove} removed, with the same text: the one that this kind of caller
   * removed, or else another's if it points to the shared entry. The operator can restore all.
   */
  restore(id: string, kind: LinkKind, name: string, by: Caller['kind']): Promise<LinkEntry>;
}

const nothingToRestore = (kind: LinkKind, name: string) =>
  new AppError(
    'link_not_found',
    `dot-mi can’t restore the link "${name}" in ${kind}, because it hasn’t removed one with this name since it started. Create the link again.`,
  );

const withFolder = async <T>(
  opening: LinkFolder | Promise<LinkFolder>,
  use: (folder: LinkFolder) => Promise<T>,
): Promise<T> => {
  const folder = await opening;
  return withDirectory(folder.directory, () => use(folder));
};

/** Creates {@link LinksService}. */
export const createLinksService = ({
  root,
  agentLock,
  nearDisk,
  ask,
  system = hostLinks,
}: LinksServiceDeps): LinksService => {
  const steps = createLinkSteps(root, system);

  /**
   * The targets of removed links, as text. SECURITY: only an earlier link can be recreated, because the caller's text
   * could point anywhere. No kind of caller can push out what another removed.
   */
  const removed = perCallerKind(() => new LRUCache<string, string>({ max: MAX_REMOVED }));

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

  const change = <T>(id: string, task: (agent: DirectoryHandle) => Promise<T>): Promise<T> =>
    agentLock.run(id, () => withAgent(root, id, task));

  const hasBroken = async (agent: DirectoryHandle, id: string, kind: LinkKind, name: string) => {
    const folder = await steps.openFolder(agent, id, kind);
    return folder !== undefined && withFolder(folder, () => steps.hasBroken(folder, name));
  };

  return {
    list,

    create: (id, kind, name, replaceBroken) =>
      change(id, async (agent) => {
        const target = await steps.targetOf(kind, name).catch(async (error: unknown) => {
          const isMissing = error instanceof AppError && error.code === 'shared_entry_not_found';
          if (isMissing && (await hasBroken(agent, id, kind, name))) throw brokenLinkStays(id, kind, name);
          throw error;
        });
        await withFolder(steps.makeFolder(agent, id, kind), (folder) =>
          steps.link(folder, name, target, replaceBroken),
        );
        return entryNow(id, kind, name);
      }),

    remove: (id, kind, name, by) =>
      change(id, async (agent) => {
        const folder = await steps.openFolder(agent, id, kind);
        if (!folder) throw linkNotFound(kind, name);
        const text = await withFolder(folder, () => steps.unlink(folder, name));
        removed[by].set(`${id}/${kind}/${name}`, text);
      }),

    restore: (id, kind, name, by) =>
      change(id, async (agent) => {
        // Throws if the directory isn't the agent's own, even if there's nothing to restore.
        await (await steps.openFolder(agent, id, kind))?.directory.close();
        const key = `${id}/${kind}/${name}`;
        const all = Object.values(removed);
        const others = all.map((texts) => texts.get(key)).filter((found) => found !== undefined);
        // SECURITY: what another caller removed may lead anywhere, such as to an extension that the operator threw out.
        const text =
          removed[by].get(key) ??
          others.find((found) => by === 'operator' || found === linkTextTo(kind, name));
        if (text === undefined) throw nothingToRestore(kind, name);
        await withFolder(steps.makeFolder(agent, id, kind), (folder) => steps.relink(folder, name, text));
        for (const texts of all) texts.delete(key);
        return entryNow(id, kind, name);
      }),
  };
};
