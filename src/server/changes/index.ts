import * as api from '../../shared/api/changes.ts';
import type { ServerEvent } from '../../shared/api/events.ts';
import type { Config } from '../config.ts';
import type { Base, Feature } from '../feature.ts';
import { AppError, systemCode } from '../platform/app-error.ts';
import { type Caller, readerOf } from '../platform/caller.ts';
import type { ChangeCosts, Changes, ChangeTimes } from '../platform/changes.ts';
import { mayRead, placeKind } from '../platform/may-read.ts';
import { type AgentAccess, createPlaceOf } from './agent-places.ts';
import { createChangesService, type ItemMakers } from './changes.service.ts';
import { createEngine } from './engine.ts';
import { createJournal, type JournalLimits, journalPath } from './journal.ts';
import { createOtherPrograms, type LookTimes } from './other-programs.ts';

/** What the features give to the history. They're created later, because they need it. */
export interface ChangesParts extends ItemMakers {
  readonly access: AgentAccess;
  /** Returns a JSON file's text without what may be a secret. */
  shownJson(path: string, text: string): string | undefined;
  /** Adds up an agent's sessions between its changes. Throws `root_unavailable`. */
  costsBetween(agent: string, times: ChangeTimes): Promise<ChangeCosts>;
  /** Removes a trash item. Throws `trash_entry_not_found`. */
  removeTrash(entry: string): Promise<void>;
}

type ChangesFeatureDeps = Pick<
  Base,
  'config' | 'root' | 'disk' | 'agentLock' | 'clock' | 'logger' | 'etagOf' | 'publish'
> & {
  parts(): ChangesParts;
  /** Calls `listener` with each event from now on. */
  follow(listener: (event: ServerEvent) => void): void;
  limits?: JournalLimits | undefined;
  lookTimes?: LookTimes | undefined;
};

const PRUNE_EVERY_MS = 24 * 60 * 60 * 1000;
/** Not while dot-mi starts. */
const FIRST_PRUNE_MS = 60_000;

/** Pages read the history again after an event, and a program can make many changes. */
const GATHER_MS = 500;

const limitsOf = ({ historyDays, historyMegabytes, historyVersions }: Config): JournalLimits => ({
  days: historyDays,
  bytes: historyMegabytes * 1024 * 1024,
  versions: historyVersions,
});

/** Creates the history of changes, and the routes for it. The journal is in `data/changes`. */
export const createChanges = ({
  config,
  root,
  disk,
  agentLock,
  clock,
  logger,
  etagOf,
  publish,
  follow,
  parts,
  limits,
  lookTimes,
}: ChangesFeatureDeps): Feature & { readonly changes: Changes } => {
  const journal = createJournal(
    journalPath(config.dataDirectory, root.id),
    clock,
    logger,
    limits ?? limitsOf(config),
  );
  const placeOf = createPlaceOf(root, () => parts().access);

  let cancelPublish: (() => void) | undefined;
  const changed = () => {
    cancelPublish ??= clock.after(GATHER_MS, () => {
      cancelPublish = undefined;
      publish({ name: 'changes', data: {} });
    });
  };
  /** Until then, an interrupted set is in no list, and its changes could be taken for another program's. */
  let recovered = Promise.resolve();
  const ready = () => recovered;
  const others = createOtherPrograms({
    journal,
    agentLock,
    disk,
    clock,
    logger,
    ready,
    changed,
    times: lookTimes,
  });
  follow(others.notice);
  const engine = createEngine({
    journal,
    lock: agentLock,
    placeOf,
    ready,
    changed(items) {
      changed();
      // What dot-mi has just made, no other program made.
      for (const { path, after } of items) if (after.is === 'directory') void others.lookAt(path);
    },
  });

  /** SECURITY: the same policy as for the file itself. */
  const shownText = (caller: Caller, path: string, text: string): string | undefined => {
    const limitsOfRoot = { root: root.path, ownData: [] };
    const place = `${root.path}/${path}`;
    if (mayRead(readerOf(caller), place, limitsOfRoot) === 'hidden') return undefined;
    return placeKind(place, limitsOfRoot) === 'form' ? parts().shownJson(path, text) : text;
  };

  const service = createChangesService({
    journal,
    engine,
    makers: {
      file: (...args) => parts().file(...args),
      json: (...args) => parts().json(...args),
      link: (...args) => parts().link(...args),
      deletion: (...args) => parts().deletion(...args),
    },
    shownText,
    etagOf,
    costsBetween: (...args) => parts().costsBetween(...args),
    async readNow(path) {
      try {
        const { places, name } = placeOf(path);
        return await places.open((open) => open.read(name));
      } catch (error) {
        // A path that can't be read counts as not changed, so that a person decides. Other paths must not wait for it.
        if (error instanceof AppError || systemCode(error) !== undefined) return undefined;
        throw error;
      }
    },
    lookAt: others.lookAt,
    forgetTrash: (entry) =>
      parts()
        .removeTrash(entry)
        .catch((error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'trash_entry_not_found') throw error;
        }),
  });

  let cancelPrune: (() => void) | undefined;
  const pruneDaily = () => {
    journal.prune();
    cancelPrune = clock.after(PRUNE_EVERY_MS, pruneDaily);
  };

  return {
    changes: engine,
    routes(bind) {
      bind(api.makeChanges, ({ body }, caller) => service.make(body.label, body.items, caller));
      bind(api.listChanges, async ({ query }) => {
        await ready();
        return service.list(query);
      });
      bind(api.getChange, async ({ params }, caller) => {
        await ready();
        return service.get(params.change, caller);
      });
      bind(api.undoChange, async ({ params }, caller) => {
        await ready();
        return service.undo(params.change, caller);
      });
      bind(api.restoreChange, async ({ params }, caller) => {
        await ready();
        return service.restore(params.change, caller);
      });
      bind(api.finishChange, async ({ params }, caller) => {
        await ready();
        return service.finish(params.change, caller);
      });
    },
    start() {
      // No request has begun yet, so all open sets are of an earlier run.
      recovered = service
        .recover()
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'dot-mi can’t tell which parts of interrupted changes were made'),
        );
      others.start();
      cancelPrune = clock.after(FIRST_PRUNE_MS, pruneDaily);
    },
    close() {
      others.close();
      cancelPrune?.();
      cancelPublish?.();
      journal.close();
    },
  };
};
