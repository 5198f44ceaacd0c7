import type { Change, ChangeDetail, ChangeItemInput, ChangeResult } from '../../shared/api/changes.ts';
import { MAX_FILE_BYTES } from '../../shared/api/names.ts';
import type { JsonEdit } from '../../shared/json-edit.ts';
import { AppError } from '../platform/app-error.ts';
import { failureOf } from '../platform/bulk.ts';
import { type Caller, operatorRequired } from '../platform/caller.ts';
import { type ChangeItem, isSameState, MISSING, type Outcome, type PathState } from '../platform/changes.ts';
import type { EtagOf } from '../platform/etag.ts';
import { requireConditions, type WriteConditions } from '../platform/write-conditions.ts';
import type { Engine } from './engine.ts';
import type { Journal, RecordedItem, RecordedSet } from './journal.ts';

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
}

/** Returns a state's text as a caller sees it. Undefined hides it. */
export type ShownText = (caller: Caller, path: string, text: string) => string | undefined;

/** Makes, lists and undoes change sets. */
export interface ChangesService {
  make(label: string, items: readonly ChangeItemInput[], caller: Caller): Promise<ChangeResult>;
  list(query: { agent?: string | undefined; cursor?: string | undefined; limit: number }): {
    changes: Change[];
    nextCursor?: string | undefined;
  };
  /** Throws `change_not_found`. */
  get(id: string, caller: Caller): ChangeDetail;
  /** Throws `change_not_found` and `operator_required`. */
  undo(id: string, caller: Caller): Promise<ChangeResult>;
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
  /** Reads a path as it is now. Undefined if dot-mi can't tell. */
  readNow(path: string): Promise<PathState | undefined>;
}

const notFound = () =>
  new AppError(
    'change_not_found',
    'The history doesn’t have this change. It keeps changes for at most 90 days.',
  ).withHint({
    route: 'GET /api/changes',
    text: 'GET /api/changes lists the changes.',
  });

const changedSince = (path: string) =>
  new AppError(
    'file_changed',
    `${path} has changed since, so dot-mi left it as it is. Compare both versions, then decide which one to keep.`,
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

/** Returns an item that takes a path from one state to another, and is refused for any other state. */
const stepItem = (item: RecordedItem, from: PathState, to: PathState): ChangeItem => ({
  path: item.path,
  plan(before) {
    if (isSameState(before, to)) return before;
    if (!item.isKept) throw textGone(item.path);
    if (!isSameState(before, from)) throw changedSince(item.path);
    return to;
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

/** Creates {@link ChangesService}. */
export const createChangesService = ({
  journal,
  engine,
  makers,
  shownText,
  etagOf,
  readNow,
}: ServiceDeps): ChangesService => {
  const shown = (caller: Caller, path: string, state: PathState, isKept = true) => {
    const { is } = state;
    if (!('text' in state)) return { is };
    const text = is === 'link' ? state.text : isKept ? shownText(caller, path, state.text) : undefined;
    return { is, ...(text === undefined ? {} : { text }) };
  };

  const toChange = (set: RecordedSet): Change => {
    const undoneBy = journal.undoneBy(set.id);
    return {
      id: set.id,
      at: set.at,
      by: { kind: set.by.kind, ...(set.by.key ? { key: set.by.key.label } : {}) },
      label: set.label,
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

  return {
    async make(label, inputs, caller) {
      const items = inputs.map(itemOf);
      const { change, outcomes } = await engine.apply(label, items);
      return toResult(change, outcomes, (index) => items[index]?.path ?? '', caller);
    },

    list({ agent, cursor, limit }) {
      const sets = journal.list({
        agent,
        beforeSeq: cursor === undefined ? undefined : Number(cursor),
        limit: limit + 1,
      });
      const page = sets.slice(0, limit);
      const last = page.at(-1);
      return {
        changes: page.map(toChange),
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
          canUndo: isKept && state === 'applied',
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
      const label = set.undoes === null ? `Undo: ${set.label}` : `Redo: ${set.label.replace(/^Undo: /, '')}`;
      const { change, outcomes } = await engine.apply(
        label,
        items.map((item) => stepItem(item, item.after, item.before)),
        set.id,
      );
      return toResult(
        change,
        outcomes,
        (index) => items[index]?.path ?? '',
        caller,
        (index) => (items[index]?.isKept ? items[index].before : undefined),
      );
    },

    async finish(id, caller) {
      const set = requireSet(id);
      const items = journal.items(set.seq).filter(({ state }) => state === 'planned');
      const outcomes = await engine.resume(
        set.seq,
        items.map((item) => ({ ...stepItem(item, item.before, item.after), index: item.index })),
      );
      const refused = items.flatMap(({ index }, at) => (outcomes[at]?.is === 'refused' ? [index] : []));
      const earlier = journal.items(set.seq).filter(({ state }) => state === 'refused');
      journal.finish(set.seq, [...earlier.map(({ index }) => index), ...refused]);
      return toResult(set.id, outcomes, (index) => items[index]?.path ?? '', caller);
    },

    async recover() {
      for (const set of journal.interrupted()) {
        const applied: number[] = [];
        const items = journal.items(set.seq);
        // The last change of a path says what is there now. All before it were made, too.
        for (const { index, path, after, before } of items) {
          const later = items.some((other) => other.path === path && other.index > index);
          const now = await readNow(path);
          if (!now) continue;
          if (isSameState(now, after) || (later && !isSameState(now, before))) applied.push(index);
        }
        if (applied.length === 0) journal.discard(set.seq);
        else journal.recordProgress(set.seq, applied, applied.length === set.items ? 'done' : 'partial');
      }
    },
  };
};
