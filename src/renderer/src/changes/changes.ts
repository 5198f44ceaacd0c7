import { type QueryClient, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ChangeResult, undoChange } from '../../../shared/api/changes.ts';
import { ApiError, call, isOutcomeUnknown, shownRootId } from '../api/client.ts';
import { after, refreshAfter } from '../api/invalidations.ts';
import { keys } from '../api/queries.ts';
import { isShortcut, type ShortcutId } from '../shell/shortcuts.ts';
import { changeWords as words } from '../strings/changes.ts';
import { common } from '../strings/common.ts';
import { dismissFailure, reportFailure } from '../ui/failures.tsx';
import { notify } from '../ui/toast.tsx';
import type { Failure } from './run-each.ts';

/** The ids of a change's entries in the history. Null if it can't be undone. Several are undone together. */
export type ChangeIds = string | readonly string[] | null;

/** What a change returned. */
export interface Made<B> {
  readonly body: B;
  readonly change: ChangeIds;
}

/** A direction in the history. */
export type Way = 'undo' | 'redo';

const OTHER = { undo: 'redo', redo: 'undo' } as const;

/** What became of a step. */
interface Taken {
  /** False if nothing was reverted. */
  readonly isDone: boolean;
  /** True if all was already as wanted. */
  readonly wasDone: boolean;
  /** Why items weren't reverted. */
  readonly refusals: readonly string[];
  /** Reverts the step again. Null if that's impossible. */
  readonly back: Reverting | null;
  /** What is left of the step, because some of its requests failed. */
  readonly left: Reverting | null;
}

interface Reverting {
  /** The entries in the history that it reverts. Empty if the history doesn't have it. */
  readonly ids: readonly string[];
  readonly take: () => Promise<Taken>;
}

/** A change of this page that can be undone or redone. */
interface Step extends Reverting {
  readonly said: string;
  /** The id of the root that it changed. Null if it didn't change a root. */
  readonly root: string | null | undefined;
  dismiss: () => void;
}

/** The steps of this page, newest last. */
const steps: Readonly<Record<Way, Step[]>> = { undo: [], redo: [] };

const MOST_STEPS = 100;
/** The most refused items that a message explains. */
const MOST_REFUSALS = 3;

/** What the page gives to undo and redo. */
interface ChangesHost {
  readonly client: QueryClient;
  /** Opens the list of recent changes. */
  readonly onShow: () => void;
}

let host: ChangesHost | undefined;

/** True if somebody asked for the list before the page could open it. */
let isAwaited = false;

/** Opens the list of recent changes. */
export const showChanges = (): void => {
  if (host) host.onShow();
  else isAwaited = true;
};

/** Steps run one after another, so that pressing Ctrl+Z twice undoes two changes. */
let running: Promise<unknown> = Promise.resolve();
let waiting = 0;

const enqueue = (run: () => Promise<void>): void => {
  waiting++;
  running = running.then(run).finally(() => waiting--);
};

/** Returns whether a step may succeed later: the API didn't respond, or the page isn't signed in. */
const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (isOutcomeUnknown(error) || error.status === 401 || error.status === 403);

const seeChanges = { label: words.open, run: showChanges };

const takeStep = async (way: Way, step: Step): Promise<void> => {
  const at = steps[way].indexOf(step);
  if (at < 0) return;
  steps[way].splice(at, 1);
  step.dismiss();
  const { said, root } = step;
  const failure = `revert ${said}`;
  try {
    const { isDone, wasDone, refusals, back, left } = await step.take();
    dismissFailure(failure);
    if (left) offer(way, { said, root, ...left }, null);
    if (isDone && back) offer(OTHER[way], { said, root, ...back }, words.taken[way](said));
    else if (isDone) notify((wasDone ? words.already : words.taken)[way](said));
    if (refusals.length > 0) {
      const hidden = refusals.length - MOST_REFUSALS;
      const reasons = [...refusals.slice(0, MOST_REFUSALS), ...(hidden > 0 ? [words.more(hidden)] : [])];
      const title = (isDone ? words.partly : words.refused)[way](said);
      reportFailure(title, reasons.join(' '), { about: failure, action: seeChanges });
    }
  } catch (error) {
    if (isPassing(error)) steps[way].push(step);
    reportFailure(words.refused[way](said), error, {
      about: failure,
      action: root === null ? undefined : seeChanges,
    });
  }
  if (host) void refreshAfter(host.client, after.undo());
};

const offer = (way: Way, step: Omit<Step, 'dismiss'>, title: string | null): void => {
  // The same function is added only once.
  window.addEventListener('keydown', onKeyDown);
  const offered: Step = { ...step, dismiss: () => {} };
  steps[way].push(offered);
  if (steps[way].length > MOST_STEPS) steps[way].shift();
  if (title === null) return;
  offered.dismiss = notify(title, {
    label: way === 'undo' ? common.undo : words.redo,
    run: () => enqueue(() => takeStep(way, offered)),
  });
};

/** Adds a new change. What was undone before can't be redone after it. */
const offerNew = (step: Omit<Step, 'dismiss'>, title: string | null): void => {
  for (const undone of steps.redo.splice(0)) undone.dismiss();
  offer('undo', step, title);
};

type OnReverted = (isUndone: boolean) => void;

const refusalOf = ({ path, error }: ChangeResult['refused'][number]): string =>
  error.includes(path) ? error : `${path}: ${error}`;

/** Returns a step that undoes changes, newest first. */
const revert = (way: Way, ids: readonly string[], onReverted: OnReverted | undefined): Reverting => ({
  ids,
  take: async () => {
    const results: ChangeResult[] = [];
    const failures: Failure<string>[] = [];
    // One after another, because a change may build on an earlier one.
    for (const id of ids.toReversed())
      await call(undoChange, { params: { change: id } }).then(
        (result) => results.push(result),
        (error: unknown) => failures.push({ item: id, error }),
      );
    const [failure] = failures;
    if (failure && results.length === 0) throw failure.error;
    const refused = results.flatMap((result) => result.refused);
    const isChanged = results.some(({ applied }) => applied > 0);
    const isDone = isChanged || refused.length === 0;
    if (isDone) onReverted?.(way === 'undo');
    const made = results.flatMap(({ change }) => change ?? []);
    return {
      isDone,
      wasDone: !isChanged,
      refusals: [
        ...refused.map(refusalOf),
        ...failures.map(({ error }) => (error instanceof Error ? error.message : String(error))),
      ],
      back: made.length > 0 ? revert(OTHER[way], made, onReverted) : null,
      left:
        failures.length > 0 ? revert(way, failures.map(({ item }) => item).toReversed(), onReverted) : null,
    };
  },
});

/** Undoes or redoes any entry of the history, also one that this page didn't make. */
export const takeChange = (way: Way, id: string, said: string): Promise<void> =>
  new Promise((resolve) => {
    enqueue(async () => {
      const known = steps[way].find(({ ids }) => ids.length === 1 && ids[0] === id);
      const step = known ?? {
        said,
        root: shownRootId(),
        dismiss: () => {},
        ...revert(way, [id], undefined),
      };
      if (!known) steps[way].push(step);
      await takeStep(way, step);
      resolve();
    });
  });

const idsOf = (change: ChangeIds): readonly string[] =>
  change === null ? [] : typeof change === 'string' ? [change] : change;

/** Makes Ctrl+Z undo a change, without a toast. */
export const rememberChange = (said: string, change: ChangeIds): void => {
  const ids = idsOf(change);
  if (ids.length > 0) offerNew({ said, root: shownRootId(), ...revert('undo', ids, undefined) }, null);
};

/** Reports a change with a toast, and offers Undo if the history has it. `onReverted` runs after undo and redo. */
export const notifyChange = (said: string, change: ChangeIds, onReverted?: OnReverted): void => {
  const ids = idsOf(change);
  if (ids.length === 0) notify(said);
  else offerNew({ said, root: shownRootId(), ...revert('undo', ids, onReverted) }, said);
};

/**
 * Reports something that the history doesn't have, and offers Undo. `undo` resolves to false if it undid nothing, and
 * rejects if it failed. `ofRoot` is false if it didn't change the root.
 */
export const notifyUndoable = (said: string, undo: () => unknown, ofRoot = true): void => {
  const take = async (): Promise<Taken> => ({
    isDone: (await undo()) !== false,
    wasDone: false,
    refusals: [],
    back: null,
    left: null,
  });
  offerNew({ said, root: ofRoot ? shownRootId() : null, ids: [], take }, said);
};

/** Returns whether Ctrl+Z would undo typing in an element. An empty single-line field has nothing to undo. */
const editsText = (element: EventTarget | null): boolean =>
  element instanceof HTMLElement &&
  (element.isContentEditable ||
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && element.type !== 'checkbox' && element.value !== ''));

const SHORTCUT: Readonly<Record<Way, ShortcutId>> = { undo: 'takeBack', redo: 'putBack' };

/** Returns the newest step of the managed root, or of none. */
const lastStep = (way: Way): Step | undefined =>
  steps[way].findLast(({ root }) => root === null || root === shownRootId());

const onKeyDown = (event: KeyboardEvent): void => {
  if (event.defaultPrevented || event.isComposing) return;
  // The editor is in a shadow tree, so out here the event's target is only its host.
  const isInText = editsText(event.composedPath()[0] ?? null);
  const way = (['undo', 'redo'] as const).find((one) => isShortcut(SHORTCUT[one], event, isInText));
  if (!way || (waiting === 0 && !lastStep(way))) return;
  event.preventDefault();
  if (event.repeat) return;
  enqueue(async () => {
    const step = lastStep(way);
    if (step) await takeStep(way, step);
  });
};

/** Lets undo and redo refetch data and open the list, until the returned function runs. */
export const connectChanges = (connected: ChangesHost): (() => void) => {
  host = connected;
  if (isAwaited) connected.onShow();
  isAwaited = false;
  return () => {
    host = undefined;
  };
};

interface ChangeOptions<I, B> {
  /** Changes of the same scope run one after another, each once the data of the one before it is refetched. */
  readonly scope?: string | undefined;
  /** Makes the change, usually with `callForChange`. */
  readonly make: (input: I) => Promise<Made<B>>;
  /** Returns the toast's sentence. Null for no toast. */
  readonly said: (body: B, input: I) => string | null;
  /** Returns the title of the failure toast, which disappears when the next try succeeds. Absent: the caller reports it. */
  readonly failed?: (input: I) => string;
  /** Returns what wasn't changed although the request succeeded, or null. */
  readonly problem?: (body: B, input: I) => { readonly title: string; readonly error: unknown } | null;
  /** The queries to refetch: keys of `after`, by what changed. */
  readonly refresh: readonly QueryKey[] | ((input: I) => readonly QueryKey[]);
  /** Runs before the toast appears. */
  readonly onMade?: ((body: B, input: I) => void) | undefined;
  /** Runs after a success, once the queries are refetched. */
  readonly onRefreshed?: (body: B, input: I) => void;
  /** Runs after the change was undone or redone. */
  readonly onReverted?: (isUndone: boolean, body: B, input: I) => void;
}

/** Changes something that the API records, reports it and offers Undo. */
export const useChange = <I, B>(options: ChangeOptions<I, B>) => {
  const { scope, make, said, failed, problem, refresh, onMade, onRefreshed, onReverted } = options;
  const client = useQueryClient();
  return useMutation<Made<B>, ApiError, I>({
    ...(scope === undefined ? {} : { scope: { id: scope } }),
    mutationFn: make,
    onSuccess: ({ body, change }, input) => {
      const title = failed?.(input);
      if (title !== undefined) dismissFailure(title);
      onMade?.(body, input);
      const sentence = said(body, input);
      if (sentence !== null)
        notifyChange(sentence, change, onReverted && ((isUndone) => onReverted(isUndone, body, input)));
      const found = problem?.(body, input);
      if (found) reportFailure(found.title, found.error, { about: title ?? found.title });
    },
    onError: (error, input) => {
      const title = failed?.(input);
      if (title !== undefined) reportFailure(title, error);
    },
    onSettled: (made, _, input) => {
      const stale = typeof refresh === 'function' ? refresh(input) : refresh;
      const refreshed = refreshAfter(client, [...stale, keys.changes]).then(
        () => made && onRefreshed?.(made.body, input),
      );
      // The next change of the scope builds on what this one left. Other controls work again at once: they must not
      // stay busy until everything that may have changed is read again.
      return scope === undefined ? undefined : refreshed;
    },
  });
};
