import * as api from '../../shared/api/changes.ts';
import type { Base, Feature } from '../feature.ts';
import { AppError, systemCode } from '../platform/app-error.ts';
import { type Caller, readerOf } from '../platform/caller.ts';
import type { Changes } from '../platform/changes.ts';
import { mayRead, placeKind } from '../platform/may-read.ts';
import { type AgentAccess, createPlaceOf } from './agent-places.ts';
import { createChangesService, type ItemMakers } from './changes.service.ts';
import { createEngine } from './engine.ts';
import { createJournal, type JournalLimits, journalPath } from './journal.ts';

/** What the features give to the history. They're created later, because they need it. */
export interface ChangesParts extends ItemMakers {
  readonly access: AgentAccess;
  /** Returns a JSON file's text without what may be a secret. */
  shownJson(path: string, text: string): string | undefined;
}

type ChangesFeatureDeps = Pick<Base, 'config' | 'root' | 'agentLock' | 'clock' | 'logger' | 'etagOf'> & {
  parts(): ChangesParts;
  limits?: JournalLimits | undefined;
};

const PRUNE_EVERY_MS = 24 * 60 * 60 * 1000;

/** Creates the history of changes, and the routes for it. The journal is in `data/changes`. */
export const createChanges = ({
  config,
  root,
  agentLock,
  clock,
  logger,
  etagOf,
  parts,
  limits,
}: ChangesFeatureDeps): Feature & { readonly changes: Changes } => {
  const journal = createJournal(journalPath(config.dataDirectory, root.id), clock, logger, limits);
  const placeOf = createPlaceOf(root, () => parts().access);
  const engine = createEngine({ journal, lock: agentLock, placeOf });

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
    },
    shownText,
    etagOf,
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
      bind(api.listChanges, ({ query }) => service.list(query));
      bind(api.getChange, ({ params }, caller) => service.get(params.change, caller));
      bind(api.undoChange, ({ params }, caller) => service.undo(params.change, caller));
      bind(api.finishChange, ({ params }, caller) => service.finish(params.change, caller));
    },
    start() {
      // No request has begun yet, so all open sets are of an earlier run.
      service
        .recover()
        .catch((error: unknown) =>
          logger.warn({ err: error }, 'dot-mi can’t tell which parts of interrupted changes were made'),
        );
      pruneDaily();
    },
    close() {
      cancelPrune?.();
      journal.close();
    },
  };
};
