import type {
  Change,
  ChangeDetail,
  ChangeItemInput,
  ChangeList,
  ChangeResult,
} from '../../shared/api/changes.ts';
import { MAX_FILE_BYTES } from '../../shared/api/names.ts';
import type { JsonEdit } from '../../shared/json-edit.ts';
import { AppError } from '../platform/app-error.ts';
import { failureOf } from '../platform/bulk.ts';
import { type Caller, operatorRequired } from '../platform/caller.ts';
import {
  type ChangeCosts,
  type ChangeItem,
  type ChangeTimes,
  isSameState,
  MISSING,
  type Outcome,
  type PathState,
} from '../platform/changes.ts';
import type { EtagOf } from '../platform/etag.ts';
import { requireConditions, type WriteConditions } from '../platform/write-conditions.ts';
import type { Engine } from './engine.ts';
import type { Journal, RecordedItem, RecordedSet } from './journal.ts';
import { MOST_NAMED, summaryOf } from './summary.ts';

type JsonInput = Extract<ChangeItemInput, { json: string }>;

/** What a change set's items become. `start.ts` gets them from the features. */
export interface ItemMakers {
  file(
    agent: string,
    file: Extract<ChangeItemInput, { file: string }>['file'],
    conditions: WriteConditions,
    content: string | null,
  ): ChangeItem;
  /** Edits a JSON file, and keeps every other byte. Throws if pi would refuse something because of it. */
  json(
    agent: string,
    file: JsonInput['json'],
    conditions: WriteConditions,
    edits: readonly JsonEdit[],
  ): ChangeItem;
  link(
    agent: string,
    link: Extract<ChangeItemInput, { link: object }>['link'],
    isLinked: boolean,
  ): ChangeItem;
  /** Moves an agent to the trash. */
  deletion(agent: string): ChangeItem;
}

/** Selects the entries to list. */
export interface ChangesQuery {
  readonly agent?: string | undefined;
  /** The kind and name of a shared entry. */
  readonly shared?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Returns a state's text as a caller sees it. Undefined hides it. */
export type ShownText = (caller: Caller, path: string, text: string) => string | undefined;

/** Makes, lists and undoes change sets. */
export interface ChangesService {
  make(label: string, items: readonly ChangeItemInput[], caller: Caller): Promise<ChangeResult>;
  /** With an agent, also what its sessions cost since each change. Throws `root_unavailable` then. */
  list(query: ChangesQuery): Promise<ChangeList>;
  /** Throws `change_not_found`. */
  get(id: string, caller: Caller): ChangeDetail;
  /** Throws `change_not_found` and `operator_required`. */
  undo(id: string, caller: Caller): Promise<ChangeResult>;
  /** Writes files and links as they were after a change set. Throws `change_not_found`. */
  restore(id: string, caller: Caller): Promise<ChangeResult>;
  /** Throws `change_not_found`. */
  finish(id: string, caller: Caller): Promise<ChangeResult>;
  /** Finds out how far the change sets came that were interrupted. */
  recover(): Promise<void>;
}

interface ServiceDeps {
  readonly journal: Journal;
  readonly engine: Engine;
  readonly makers: ItemMakers;
  readonly shownText: ShownText;
  readonly etagOf: EtagOf;
  /** Adds up an agent's sessions. Throws `root_unavailable`. */
  costsBetween(agent: string, times: ChangeTimes): Promise<ChangeCosts>;
  /** Reads a path as it is now. Undefined if dot-mi can't tell. */
  readNow(path: string): Promise<PathState | undefined>;
  /**
   * Records what other programs changed in an agent or a shared entry. Unless it's urgent, not while they are still
   * changing it.
   */
  lookAt(subject: string, isUrgent?: boolean): Promise<void>;
  /** Removes a trash item whose content is back. Does nothing if it's gone. */
  forgetTrash(entry: string): Promise<void>;
}

const notFound = () =>
  new AppError(
    'change_not_found',
    'The history doesn’t have this change. It may have been too old to keep.',
  ).withHint({
    route: 'GET /api/changes',
    text: 'GET /api/changes lists the changes.',
  });

/** `later` is the label of the change that changed it. */
const changedSince = (path: string, later: string | undefined) =>
  new AppError(
    'file_changed',
    later === undefined
      ? `${path} has changed since, so dot-mi left it as it is. Compare both versions, then decide which one to keep.`
      : `${path} has changed since (${later}), so dot-mi left it as it is. Undo that change first, or restore the version that you want.`,
    { etag: null },
  );

const editedSince = (path: string) =>
  new AppError(
    'file_changed',
    `${path} was changed after it was created, so dot-mi left it as it is. Undo those changes first, or delete the agent.`,
    { etag: null },
  );

const textGone = (path: string) =>
  new AppError('nothing_to_undo', `dot-mi no longer has the earlier text of ${path}.`);

/** Returns whether a caller can undo a change set: the operator all, and others their own. */
const isOwn = (set: RecordedSet, caller: Caller): boolean => {
  if (caller.kind === 'operator') return true;
  if (set.by.kind !== caller.kind) return false;
  return caller.kind !== 'agent' || set.by.key?.id === caller.key.id;
};

/**
 * Returns an item that takes a path from one state to another, and is refused for any other state. `laterChange` returns
 * the label of the change that made it so, and `mustStay` whether the path contains what the item doesn't.
 */
const stepItem = (
  item: RecordedItem,
  from: PathState,
  to: PathState,
  laterChange: () => string | undefined,
  mustStay = () => false,
): ChangeItem => ({
  path: item.path,
  plan(before) {
    if (to.is !== 'other' && isSameState(before, to)) return before;
    if (!item.isKept || to.is === 'other') throw textGone(item.path);
    if (!isSameState(before, from)) throw changedSince(item.path, laterChange());
    if (mustStay()) throw editedSince(item.path);
    return to;
  },
});

const isFileOrLink = ({ is }: PathState): boolean => is === 'missing' || is === 'file' || is === 'link';

/** Returns an item that takes a path to the state after a change, whatever it is now. */
const restoreItem = ({ path, before, after, isKept }: RecordedItem): ChangeItem => ({
  path,
  plan(now) {
    if (!isFileOrLink(before) || !isFileOrLink(after))
      throw new AppError(
        'nothing_to_undo',
        `Only files and links have versions. To get ${path} back, use the trash.`,
      );
    if (isSameState(now, after)) return now;
    if (!isKept) throw textGone(path);
    if (!isFileOrLink(now))
      throw new AppError(
        'not_a_file',
        `${path} is neither a file nor a link now. Move it away, then try again.`,
      );
    return after;
  },
});

/** Returns the item that writes or removes a file of a shared entry. */
const sharedItem = (
  path: string,
  conditions: WriteConditions,
  content: string | null,
  etagOf: EtagOf,
): ChangeItem => ({
  path,
  plan(before) {
    if (before.is === 'other')
      throw new AppError('not_a_file', `${path} is not a regular file. Remove it, then try again.`);
    const etag = before.is === 'file' ? etagOf(Buffer.from(before.text, 'utf8')) : undefined;
    requireConditions(conditions, path, etag);
    if (content === null) return MISSING;
    if (Buffer.byteLength(content) > MAX_FILE_BYTES)
      throw new AppError('file_too_large', `${path} would exceed the limit of 2 MiB. Shorten it.`);
    return { is: 'file', text: content };
  },
});

export const createChangesService = ({
  journal,
  engine,
  makers,
  shownText,
  etagOf,
  costsBetween,
  readNow,
  lookAt,
  forgetTrash,
}: ServiceDeps): ChangesService => {
  const shown = (caller: Caller, path: string, state: PathState, isKept = true) => {
    const is = state.is === 'session' ? 'other' : state.is;
    if (!('text' in state)) return { is };
    const text = is === 'link' ? state.text : isKept ? shownText(caller, path, state.text) : undefined;
    return { is, ...(text === undefined ? {} : { text }) };
  };

  const toChange = (set: RecordedSet, subject?: string): Change => {
    const undoneBy = journal.undoneBy(set.id);
    return {
      id: set.id,
      at: set.at,
      by: { kind: set.by.kind, ...(set.by.key ? { key: set.by.key.label } : {}) },
      label: set.label,
      summary: summaryOf(journal.changedPaths(set, subject, MOST_NAMED), subject),
      state: set.state === 'done' ? 'done' : 'partial',
      items: set.items,
      applied: set.applied,
      ...(set.undoes === null ? {} : { undoes: set.undoes }),
      ...(undoneBy === undefined ? {} : { undoneBy }),
    };
  };

  const toResult = (
    change: string | null,
    outcomes: readonly Outcome[],
    pathOf: (index: number) => string,
    caller: Caller,
    wantedAt: (index: number) => PathState | undefined = () => undefined,
  ): ChangeResult => {
    const count = (is: Outcome['is']) => outcomes.filter((outcome) => outcome.is === is).length;
    return {
      change,
      applied: count('applied'),
      unchanged: count('unchanged'),
      refused: outcomes.flatMap((outcome, index) => {
        if (outcome.is !== 'refused') return [];
        const path = pathOf(index);
        const wanted = wantedAt(index);
        return [
          {
            index,
            path,
            ...failureOf(outcome.error),
            ...(outcome.now ? { now: shown(caller, path, outcome.now) } : {}),
            ...(wanted ? { wanted: shown(caller, path, wanted) } : {}),
          },
        ];
      }),
    };
  };

  const requireSet = (id: string): RecordedSet => {
    const set = journal.find(id);
    if (!set || set.state === 'open') throw notFound();
    return set;
  };

  const itemOf = (item: ChangeItemInput): ChangeItem => {
    if ('link' in item) return makers.link(item.agent, item.link, item.to !== null);
    if ('delete' in item) return makers.deletion(item.agent);
    if ('shared' in item) {
      const { shared, file, content, ifMatch, ifNoneMatch } = item;
      const path = ['shared', shared.kind, shared.name, ...(file === undefined ? [] : [file])].join('/');
      return sharedItem(path, { ifMatch, ifNoneMatch }, content, etagOf);
    }
    if ('json' in item) {
      const { agent, json, edits, ifMatch, ifNoneMatch } = item;
      return makers.json(agent, json, { ifMatch, ifNoneMatch }, edits);
    }
    const { agent, file, content, ifMatch, ifNoneMatch } = item;
    return makers.file(agent, file, { ifMatch, ifNoneMatch }, content);
  };

  /** Adds what the agent's sessions cost since each change of a page. `older` is the change before the page. */
  const withCosts = async (
    agent: string,
    page: readonly RecordedSet[],
    older: RecordedSet | undefined,
    changes: readonly Change[],
  ) => {
    const [newest] = page;
    const next = newest && journal.nextAt(`agents/${agent}`, newest.seq);
    // What the agent did before its first known change counts as one version.
    const atMs = [0, ...[...page, ...(older ? [older] : [])].map(({ at }) => Date.parse(at)).reverse()];
    const { costs, ...completeness } = await costsBetween(agent, {
      fromMs: atMs,
      toMs: next === undefined ? undefined : Date.parse(next),
    });
    const newestFirst = costs.toReversed();
    return {
      changes: changes.map((change, index): Change => {
        const { [index]: own, [index + 1]: before } = newestFirst;
        if (!own) return change;
        return { ...change, since: { ...own, before: before && before.sessions > 0 ? before : null } };
      }),
      ...completeness,
    };
  };

  return {
    async make(label, inputs, caller) {
      const items = inputs.map(itemOf);
      const { change, outcomes } = await engine.apply(label, items);
      return toResult(change, outcomes, (index) => items[index]?.path ?? '', caller);
    },

    async list({ agent, shared, cursor, limit }) {
      if (agent !== undefined && shared !== undefined)
        throw new AppError('invalid_request', 'Send either agent or shared.', {
          issues: [{ path: 'query.shared', message: 'Send either agent or shared.' }],
        });
      const subject =
        agent === undefined ? (shared === undefined ? undefined : `shared/${shared}`) : `agents/${agent}`;
      if (subject !== undefined) await lookAt(subject);
      const sets = journal.list({
        subject,
        beforeSeq: cursor === undefined ? undefined : Number(cursor),
        limit: limit + 1,
      });
      const page = sets.slice(0, limit);
      const changes = page.map((set) => toChange(set, subject));
      const last = page.at(-1);
      return {
        ...(agent === undefined ? { changes } : await withCosts(agent, page, sets[limit], changes)),
        ...(sets.length > limit && last ? { nextCursor: String(last.seq) } : {}),
      };
    },

    get(id, caller) {
      const set = requireSet(id);
      return {
        ...toChange(set),
        paths: journal.items(set.seq).map(({ path, state, isKept, before, after }) => ({
          path,
          state,
          canUndo: isKept && state === 'applied' && before.is !== 'other' && after.is !== 'other',
          before: shown(caller, path, before, isKept),
          after: shown(caller, path, after, isKept),
        })),
      };
    },

    async undo(id, caller) {
      const set = requireSet(id);
      if (!isOwn(set, caller)) throw operatorRequired();
      const items = journal
        .items(set.seq)
        .filter(({ state }) => state === 'applied')
        .toReversed();
      const isMade = ({ before, after }: RecordedItem) => before.is === 'missing' && after.is === 'directory';
      // What nobody has looked at yet isn't in the journal.
      for (const { path } of items.filter(isMade)) await lookAt(path, true);
      const [, earlier = 'Redo', undone = set.label] =
        /^(Undo|Redo): (.*)$/s.exec(set.undoes === null ? '' : set.label) ?? [];
      const label = `${earlier === 'Redo' ? 'Undo' : 'Redo'}: ${undone}`;
      const { change, outcomes } = await engine.apply(
        label,
        items.map((item) =>
          stepItem(
            item,
            item.after,
            item.before,
            () => journal.laterChange(item.path, set.seq),
            () => isMade(item) && journal.hasChangedSince(item.path, set.seq),
          ),
        ),
        set.id,
      );
      for (const [index, outcome] of outcomes.entries()) {
        const after = items[index]?.after;
        if (
          outcome.is === 'applied' &&
          after?.is === 'missing' &&
          after.trash !== undefined &&
          !after.session
        )
          await forgetTrash(after.trash);
      }
      return toResult(
        change,
        outcomes,
        (index) => items[index]?.path ?? '',
        caller,
        (index) => (items[index]?.isKept ? items[index].before : undefined),
      );
    },

    async restore(id, caller) {
      const set = requireSet(id);
      const applied = journal.items(set.seq).filter(({ state }) => state === 'applied');
      // Only the last version of each path.
      const items = [...new Map(applied.map((item) => [item.path, item])).values()];
      const { change, outcomes } = await engine.apply(`Restore: ${set.label}`, items.map(restoreItem));
      return toResult(
        change,
        outcomes,
        (index) => items[index]?.path ?? '',
        caller,
        (index) => (items[index]?.isKept ? items[index].after : undefined),
      );
    },

    async finish(id, caller) {
      const set = requireSet(id);
      const items = journal.items(set.seq).filter(({ state }) => state === 'planned');
      const refusedPaths = new Set<string>();
      // The items keep the set's place in the history. So a path that has changed since keeps its state, also if that
      // happens to be what a later item expects.
      const finishing = (item: RecordedItem): ChangeItem & { readonly index: number } => {
        const later = () => journal.laterChange(item.path, set.seq);
        const step = stepItem(item, item.before, item.after, later);
        return {
          ...step,
          index: item.index,
          plan(before) {
            try {
              const label = later();
              if (label !== undefined || refusedPaths.has(item.path)) throw changedSince(item.path, label);
              return step.plan(before);
            } catch (error) {
              refusedPaths.add(item.path);
              throw error;
            }
          },
        };
      };
      const outcomes = await engine.resume(set.seq, items.map(finishing));
      const refused = items.flatMap(({ index }, at) => (outcomes[at]?.is === 'refused' ? [index] : []));
      const earlier = journal.items(set.seq).filter(({ state }) => state === 'refused');
      journal.finish(set.seq, [...earlier.map(({ index }) => index), ...refused]);
      return toResult(set.id, outcomes, (index) => items[index]?.path ?? '', caller);
    },

    async recover() {
      for (const set of journal.interrupted()) {
        const applied: number[] = [];
        const items = journal.items(set.seq);
        for (const [path, own] of Map.groupBy(items, (item) => item.path)) {
          const before = own[0]?.before ?? MISSING;
          /** The items of a path build on each other. Returns how many were made, if the last one left this state. */
          const madeBy = (state: PathState | undefined): number =>
            !state || isSameState(state, before)
              ? 0
              : own.findIndex(({ after }) => isSameState(state, after)) + 1;
          const now = await readNow(path);
          const [onDisk, learned] = [madeBy(now), madeBy(journal.lastSeen(path))];
          // Another program can have changed since then what dot-mi has written and learned.
          if (now && onDisk > learned) journal.learn([{ path, state: now }]);
          applied.push(...own.slice(0, Math.max(onDisk, learned)).map(({ index }) => index));
        }
        if (applied.length === 0) journal.discard(set.seq);
        else journal.recordProgress(set.seq, applied, applied.length === set.items ? 'done' : 'partial');
      }
    },
  };
};
