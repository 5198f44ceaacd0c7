import * as api from '../../shared/api/changes.ts';
import type { Base, Feature } from '../feature.ts';
import { type Caller, readerOf } from '../platform/caller.ts';
import type { Changes } from '../platform/changes.ts';
import { mayRead, placeKind } from '../platform/may-read.ts';
import { type AgentHands, createPlaceOf } from './agent-places.ts';
import { createChangesService, type ItemMakers } from './changes.service.ts';
import { createEngine } from './engine.ts';
import { createJournal, type JournalLimits, journalPath } from './journal.ts';

/** What the features give to the history. They're created later, because they need it. */
export interface ChangesParts extends ItemMakers {
  readonly hands: AgentHands;
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
  const placeOf = createPlaceOf(root, () => parts().hands);
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
      const { places, name } = placeOf(path);
      return places.open((open) => open.read(name));
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
          logger.warn({ err: error }, 'dot-mi can’t tell how far interrupted changes came'),
        );
      pruneDaily();
    },
    close() {
      cancelPrune?.();
      journal.close();
    },
  };
};
