import { forEachAgent, partsOf } from '../platform/bulk.ts';
import { OPERATOR } from '../platform/caller.ts';
import {
  type AppliedChanges,
  authorOf,
  type ChangeItem,
  type Changes,
  isSameState,
  keepsChanging,
  type OpenPlaces,
  type Outcome,
  PathChangedError,
  type PathState,
  type Places,
} from '../platform/changes.ts';
import { ClientGoneError, currentRequest } from '../platform/current-request.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import type { Journal, OpenSet } from './journal.ts';

/** How often to plan an item again, because another program changes its path. */
const ATTEMPTS = 10;

/** How many items of one agent are planned and made in one turn of its lock. */
const MOST_IN_ONE_TURN = 100;

/** An item and what is known about it. */
interface Planned {
  readonly item: ChangeItem;
  readonly name: string;
  before?: PathState;
  after?: PathState;
  outcome?: Outcome;
  /** Its number in the journal. */
  index?: number;
  /** Whether it was read without the lock, while dot-mi was writing to the agent. */
  isUnsure?: boolean;
}

interface Group {
  readonly places: Places;
  readonly members: Planned[];
}

/** Where a path belongs. */
export interface PathPlace {
  readonly places: Places;
  /** The path in these places. */
  readonly name: string;
}

/** Makes change sets. */
export interface Engine extends Changes {
  apply(label: string, items: readonly ChangeItem[], undoes?: string): Promise<AppliedChanges>;
  /** Makes the planned items of an interrupted set that weren't made. Returns one outcome for each. */
  resume(seq: number, items: readonly (ChangeItem & { readonly index: number })[]): Promise<Outcome[]>;
}

interface EngineDeps {
  readonly journal: Journal;
  readonly lock: KeyedLock;
  /** Returns where a path belongs. Throws an AppError for a path that dot-mi doesn't change. */
  placeOf(path: string): PathPlace;
  /** Resolves once the sets that an earlier run left open were compared with the disk. */
  ready(): Promise<void>;
  /** Called after each change set, with what it changed. */
  changed(items: readonly { readonly path: string; readonly after: PathState }[]): void;
}

/** Names the change in the response of the request that made it. */
const tellRequest = (id: string) => {
  const request = currentRequest();
  if (request) request.change = id;
};

/** Rethrows what isn't about an item. */
const refused = (error: unknown, now?: PathState): Outcome => {
  if (error instanceof ClientGoneError) throw error;
  return { is: 'refused', error, now };
};

export const createEngine = ({ journal, lock, placeOf, ready, changed }: EngineDeps): Engine => {
  /** The locks under which dot-mi writes now. */
  const writing = new Set<string>();

  /** Runs `write` under a lock. */
  const underLock = <T>({ lock: key }: Places, write: () => Promise<T>): Promise<T> =>
    lock.run(key, async () => {
      writing.add(key);
      try {
        return await write();
      } finally {
        writing.delete(key);
      }
    });

  const planOne = async (member: Planned, before: PathState) => {
    member.before = before;
    try {
      const after = await member.item.plan(before);
      member.after = after;
      if (isSameState(before, after)) member.outcome = { is: 'unchanged', state: before };
      else delete member.outcome;
    } catch (error) {
      member.outcome = refused(error, before);
    }
  };

  const planAll = async (open: OpenPlaces, members: readonly Planned[]) => {
    /** The state of a path after the earlier items of the set. */
    const known = new Map<string, PathState>();
    for (const member of members) {
      try {
        await planOne(member, known.get(member.name) ?? (await open.read(member.name)));
        if (!member.outcome && member.after) known.set(member.name, member.after);
      } catch (error) {
        member.outcome = refused(error);
      }
    }
  };

  const writeOne = async (
    open: OpenPlaces,
    member: Planned,
    set: Pick<OpenSet, 'seq' | 'recorded'> | undefined,
  ) => {
    let recorded = set?.recorded ?? Promise.resolve();
    for (let attempt = 1; ; attempt++) {
      const { item, name, before, after } = member;
      if (!before || !after) throw new Error(`${item.path} is not planned`);
      try {
        const state = await open.write(name, before, after, recorded);
        if (set && member.index !== undefined && !isSameState(state, after))
          await journal.amend(set.seq, member.index, { path: item.path, before, after: state });
        // Still under the lock, so that nobody compares the path in between.
        if (member.isUnsure) journal.seeBefore({ path: item.path, before, after });
        journal.learn([{ path: item.path, state }]);
        member.outcome = { is: 'applied', state };
        return;
      } catch (error) {
        if (!(error instanceof PathChangedError)) throw error;
        if (attempt === ATTEMPTS) throw keepsChanging(item.path);
      }
      await planOne(member, await open.read(name));
      if (member.outcome) return;
      if (set && member.index !== undefined && member.before && member.after)
        recorded = journal.amend(set.seq, member.index, {
          path: item.path,
          before: member.before,
          after: member.after,
        });
    }
  };

  const writeAll = async (
    open: OpenPlaces,
    members: readonly Planned[],
    set: Pick<OpenSet, 'seq' | 'recorded'> | undefined,
  ) => {
    for (const member of members) {
      if (member.outcome) continue;
      await writeOne(open, member, set).catch(async (error: unknown) => {
        // If the path can't be read either, the first error says more.
        const now = await open.read(member.name).catch(() => undefined);
        member.outcome = refused(error, now);
      });
    }
  };

  const begin = async (label: string, members: readonly Planned[], undoes?: string) => {
    const planned = members.filter(({ outcome }) => !outcome);
    if (planned.length === 0) return undefined;
    const request = currentRequest();
    // What was begun is finished, even if its client leaves.
    if (request) request.hasBegun = true;
    for (const [index, member] of planned.entries()) member.index = index;
    return journal.begin({
      by: authorOf(request?.caller ?? OPERATOR),
      label,
      undoes,
      items: planned.flatMap(({ item: { path }, before, after, isUnsure }) =>
        before && after ? [{ path, before, after, isUnsure }] : [],
      ),
    });
  };

  /** Closes the set. Returns its id, or null if there's nothing to undo. */
  const finish = (set: OpenSet | undefined, members: readonly Planned[]): string | null => {
    if (!set) return null;
    const made = members.filter(({ index }) => index !== undefined);
    const failed = made.filter(({ outcome }) => outcome?.is !== 'applied');
    if (failed.length === made.length) {
      journal.discard(set.seq);
      return null;
    }
    journal.finish(
      set.seq,
      failed.flatMap(({ index }) => index ?? []),
    );
    tellRequest(set.id);
    changed(
      made.flatMap(({ item: { path }, outcome }) =>
        outcome?.is === 'applied' ? [{ path, after: outcome.state }] : [],
      ),
    );
    return set.id;
  };

  const refuseAll = (members: readonly Planned[], error: unknown) => {
    const outcome = refused(error);
    for (const member of members) if (!member.outcome) member.outcome = outcome;
  };

  const groupsOf = (members: readonly Planned[]): Group[] => {
    const groups = new Map<string, Group>();
    for (const member of members) {
      try {
        const { places, name } = placeOf(member.item.path);
        // An agent itself and what is in it have one lock, but are opened differently.
        const key = `${places.lock}/${name === '' ? 'itself' : ''}`;
        const group = groups.get(key) ?? { places, members: [] };
        group.members.push(member);
        groups.set(key, group);
      } catch (error) {
        member.outcome = refused(error);
      }
    }
    return [...groups.values()];
  };

  const memberOf = (item: ChangeItem): Planned => {
    try {
      return { item, name: placeOf(item.path).name };
    } catch (error) {
      return { item, name: '', outcome: refused(error) };
    }
  };

  const writeGroups = (groups: readonly Group[], set: Pick<OpenSet, 'seq' | 'recorded'> | undefined) =>
    forEachAgent(groups, async ({ places, members }) => {
      for (const part of partsOf(members.filter(({ outcome }) => !outcome)))
        await underLock(places, () =>
          places.open((open) => writeAll(open, part, set)).catch((error: unknown) => refuseAll(part, error)),
        );
    });

  /** Plans without locks. What dot-mi writes meanwhile isn't another program's change. */
  const planGroups = (groups: readonly Group[]) =>
    forEachAgent(groups, async ({ places, members }) => {
      const learned = journal.learned(places.lock);
      await places
        .open((open) => planAll(open, members))
        .catch((error: unknown) => refuseAll(members, error));
      const isUnsure = writing.has(places.lock) || journal.learned(places.lock) !== learned;
      for (const member of members) member.isUnsure = isUnsure;
    });

  const outcomesOf = (members: readonly Planned[]): Outcome[] =>
    members.map(({ item, outcome }) => {
      if (outcome) return outcome;
      throw new Error(`${item.path} has no outcome`);
    });

  return {
    async apply(label, items, undoes) {
      await ready();
      const members = items.map(memberOf);
      const groups = groupsOf(members);
      const [first] = groups;
      if (groups.length === 1 && first && items.length <= MOST_IN_ONE_TURN) {
        // One turn of the lock, so that nothing of ours comes in between.
        const change = await underLock(first.places, async () => {
          let set: OpenSet | undefined;
          try {
            await first.places.open(async (open) => {
              await planAll(open, first.members);
              set = await begin(label, members, undoes);
              await writeAll(open, first.members, set);
            });
          } catch (error) {
            refuseAll(first.members, error);
          }
          return finish(set, members);
        });
        return { change, outcomes: outcomesOf(members) };
      }
      // No lock is held for all of them: an agent that is busy doesn't keep the others waiting, and no two sets wait for
      // each other. Each path is compared again before it's changed.
      await planGroups(groups);
      const set = await begin(label, members, undoes);
      let change: string | null = null;
      try {
        await writeGroups(groups, set);
      } finally {
        change = finish(set, members);
      }
      return { change, outcomes: outcomesOf(members) };
    },

    async resume(seq, items) {
      const members = items.map((item): Planned => ({ ...memberOf(item), index: item.index }));
      const groups = groupsOf(members);
      await planGroups(groups);
      // No entry begins that would compare them.
      for (const member of members) member.isUnsure = true;
      await writeGroups(groups, { seq, recorded: Promise.resolve() });
      return outcomesOf(members);
    },

    async record(label, items, make) {
      await ready();
      const set = await journal.begin({
        by: authorOf(currentRequest()?.caller ?? OPERATOR),
        label,
        items,
      });
      try {
        const value = await make(set?.recorded ?? Promise.resolve());
        journal.learn(items.map(({ path, after }) => ({ path, state: after })));
        if (set) {
          journal.finish(set.seq, []);
          tellRequest(set.id);
        }
        changed(items);
        return { value, change: set?.id ?? null };
      } catch (error) {
        if (set) journal.discard(set.seq);
        throw error;
      }
    },
  };
};
