import { randomUUID } from 'node:crypto';
import type { BulkLinks, ChangedLinks, LinkChanges, UndoneLinks } from '../../shared/api/links.ts';
import { LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import { withAgent } from '../platform/agent-directory.ts';
import { AppError } from '../platform/app-error.ts';
import { type Failure, failureOf, forEachAgent, partsOf } from '../platform/bulk.ts';
import type { Caller } from '../platform/caller.ts';
import { hostLinks, type LinkSystem } from '../platform/create-link.ts';
import { type DirectoryHandle, withDirectory } from '../platform/directory-handle.ts';
import { createKeyedLock, type KeyedLock } from '../platform/keyed-lock.ts';
import { type Root, resolveRoot } from '../platform/root.ts';
import { createLinkSteps, type LinkFolder, linkNotFound } from './change-links.ts';
import { linkTextTo } from './resolve-link.ts';
import type { Done, UndoStore } from './undo-store.ts';

/** Links and unlinks many entries at once. */
export interface BulkLinksService {
  /** `by` made the request, and its undo counts among theirs. */
  change(changes: LinkChanges, by: Caller['kind']): Promise<BulkLinks>;
  undo(id: string): Promise<UndoneLinks>;
}

/** The changes that a request has made so far. */
interface OpenBatch {
  readonly done: Done[];
  readonly folders: Set<string>;
}

/** Creates the service. `agentLock` is locked by agent id during every change to an agent's directory. */
export const createBulkLinks = (
  root: Root,
  agentLock: KeyedLock,
  undos: UndoStore,
  system: LinkSystem = hostLinks,
): BulkLinksService => {
  const steps = createLinkSteps(root, system);
  const undoLock = createKeyedLock();

  /** Runs `task` with an agent's open directory, or `refuse` if the agent doesn't exist. */
  const changeAgent = (
    id: string,
    task: (agent: DirectoryHandle) => Promise<void>,
    refuse: (failure: Failure) => unknown,
  ): Promise<void> =>
    agentLock.run(id, async () => {
      let isOpen = false;
      try {
        await withAgent(root, id, (agent) => {
          isOpen = true;
          return task(agent);
        });
      } catch (error) {
        if (isOpen) throw error;
        refuse(failureOf(error));
      }
    });

  /** Makes one change per name and collects the results. */
  const changeEach = async (
    result: ChangedLinks,
    names: readonly string[],
    change: (name: string) => Promise<Done | undefined>,
    batch: OpenBatch,
  ) => {
    for (const name of names) {
      try {
        const done = await change(name);
        if (done) batch.done.push(done);
        (done ? result.done : result.unchanged).push(name);
      } catch (error) {
        result.failed.push({ name, ...failureOf(error) });
      }
    }
  };

  const change: BulkLinksService['change'] = async ({ link, unlink, replaceBroken = false }, by) => {
    await resolveRoot(root);
    const batch: OpenBatch = { done: [], folders: new Set() };
    const targets = new Map<string, Promise<'dir' | 'file'>>();
    /** Returns the target of a shared entry's links. Scans each entry once, for any number of agents. */
    const targetOf = (kind: LinkKind, name: string) => {
      const key = `${kind}/${name}`;
      const known = targets.get(key) ?? steps.targetOf(kind, name);
      // Avoid an unhandled rejection. Each name that needs this entry reports the failure.
      known.catch(() => undefined);
      targets.set(key, known);
      return known;
    };

    type Item = {
      readonly group: LinkChanges['link'][number];
      readonly result: ChangedLinks;
      readonly links: boolean;
    };
    const itemOf = (group: LinkChanges['link'][number], links: boolean): Item => ({
      group,
      links,
      result: { agent: group.agent, kind: group.kind, done: [], unchanged: [], failed: [] },
    });
    const items = [
      ...unlink.map((group) => itemOf(group, false)),
      ...link.map((group) => itemOf(group, true)),
    ];

    const run = async (
      agent: DirectoryHandle,
      { group: { agent: id, kind }, result, links }: Item,
      names: readonly string[],
    ) => {
      let folder: LinkFolder | undefined;
      // Each name that needs the directory reports why it can't be opened.
      const openFolder = async () => {
        folder ??= await steps.openFolder(agent, id, kind);
        return folder;
      };
      const makeFolder = async () => {
        if (folder) return folder;
        const { isNew, ...made } = await steps.makeFolder(agent, id, kind);
        if (isNew) batch.folders.add(`${id}/${kind}`);
        folder = made;
        return made;
      };
      const linkOne = async (name: string): Promise<Done | undefined> => {
        const target = await targetOf(kind, name);
        const place = await makeFolder();
        if ((await steps.textOf(place, name)) === linkTextTo(kind, name)) return undefined;
        const { text, replaced } = await steps.link(place, name, target, replaceBroken);
        return { did: 'link', agent: id, kind, name, text, ...(replaced === undefined ? {} : { replaced }) };
      };
      const unlinkOne = async (name: string): Promise<Done | undefined> => {
        try {
          const place = await openFolder();
          if (!place) return undefined;
          return { did: 'unlink', agent: id, kind, name, text: await steps.unlink(place, name) };
        } catch (error) {
          if (error instanceof AppError && error.code === 'link_not_found') return undefined;
          throw error;
        }
      };
      try {
        await changeEach(result, names, links ? linkOne : unlinkOne, batch);
      } finally {
        await folder?.directory.close();
      }
    };

    await forEachAgent(
      Map.groupBy(items, ({ group }) => group.agent),
      async ([id, own]) => {
        for (const item of own)
          for (const names of partsOf([...new Set(item.group.names)]))
            await changeAgent(
              id,
              (agent) => run(agent, item, names),
              (failure) => item.result.failed.push(...names.map((name) => ({ name, ...failure }))),
            );
      },
    );

    const results = (isLink: boolean) =>
      items.filter(({ links }) => links === isLink).map(({ result }) => result);
    const undo = batch.done.length > 0 ? randomUUID() : null;
    if (undo !== null) await undos.set(undo, { by, ...batch });
    return { undo, link: results(true), unlink: results(false) };
  };

  const undoOne = async (agent: DirectoryHandle, done: Done): Promise<void> => {
    const { agent: id, kind, name, text } = done;
    const folder = await steps.makeFolder(agent, id, kind);
    await withDirectory(folder.directory, async () => {
      if (done.did === 'unlink') return steps.relink(folder, name, text);
      // Another program may have put something else there.
      if ((await steps.textOf(folder, name)) !== text) throw linkNotFound(kind, name);
      await steps.unlink(folder, name);
      if (done.replaced !== undefined) await steps.relink(folder, name, done.replaced);
    });
  };

  const undo = async (id: string): Promise<UndoneLinks> => {
    await resolveRoot(root);
    const batch = await undos.get(id);
    if (!batch) {
      throw new AppError('nothing_to_undo', 'dot-mi can no longer undo this change.').withHint({
        route: 'POST /api/links/bulk',
        text: 'Change the links yourself, with POST /api/links/bulk.',
      });
    }
    const result: UndoneLinks = { undone: 0, failed: [] };
    const left: Done[] = [];
    const keep = (done: Done, failure: Failure) => {
      result.failed.push({ agent: done.agent, kind: done.kind, name: done.name, ...failure });
      left.push(done);
    };
    const undoAll = async (agent: DirectoryHandle, own: readonly Done[]) => {
      for (const done of own) {
        try {
          await undoOne(agent, done);
          result.undone++;
        } catch (error) {
          keep(done, failureOf(error));
        }
      }
      for (const kind of LINK_KINDS)
        if (own[0] && batch.folders.has(`${own[0].agent}/${kind}`))
          // A folder that still has links stays.
          await steps.removeEmptyFolder(agent, kind);
    };
    await forEachAgent(
      Map.groupBy(batch.done.toReversed(), ({ agent }) => agent),
      async ([agent, own]) => {
        for (const part of partsOf(own))
          await changeAgent(
            agent,
            (opened) => undoAll(opened, part),
            (failure) => {
              for (const done of part) keep(done, failure);
            },
          );
      },
    );
    if (left.length > 0) await undos.set(id, { ...batch, done: left.reverse() });
    else await undos.remove(id);
    return result;
  };

  // Two requests must not undo the same change twice.
  return { change, undo: (id) => undoLock.run(id, () => undo(id)) };
};
