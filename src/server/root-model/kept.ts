import { isDeepStrictEqual } from 'node:util';
import type { ScanContext } from './coverage.ts';
import { type Dependencies, isUnchanged, type PathRecord, recordPaths } from './path-record.ts';

/** Values read from the disk, by name. Each is the same object while nothing that it was read from changes. */
export interface Kept<T> {
  /** Returns one value, and reads it again if something changed. */
  one(name: string, at: ScanContext): T | undefined;
  /** Returns the values of all names, without those that have none. The same array while it's unchanged. Forgets others. */
  all(names: readonly string[], at: ScanContext): readonly T[];
  /** Forgets all other names. */
  keep(names: ReadonlySet<string>): void;
}

/** How long after a comparison with the disk the next one can be left out, if the watch reported nothing. */
const SWEEP_SHARED_MS = 2_500;

interface KeptValue<T> {
  readonly value: T | undefined;
  readonly dependencies: Dependencies;
}

/**
 * Creates {@link Kept}. `read` reads one value with blocking calls, and records each path before it reads it. It
 * returns undefined if the name has no value. `coversMore` is for values that take longer to read than to watch.
 */
export const createKept = <T>(
  read: (name: string, record: PathRecord) => T | undefined,
  { coversMore = false } = {},
): Kept<T> => {
  let known = new Map<string, KeptValue<T>>();
  let list: readonly T[] = [];
  let last: { names: readonly string[]; since: number; atMs: number; isCovered: boolean } | undefined;

  const look = (name: string, at: ScanContext): KeptValue<T> => {
    const before = known.get(name);
    if (before && isUnchanged(before.dependencies, at, coversMore)) return before;
    const { record, dependencies } = recordPaths(at, coversMore);
    const value = read(name, record);
    return {
      value: before && isDeepStrictEqual(before.value, value) ? before.value : value,
      dependencies: dependencies(),
    };
  };

  return {
    one(name, at) {
      const found = look(name, at);
      known.set(name, found);
      return found.value;
    },
    all(names, at) {
      // Several lists use these values, and one comparison with the disk is enough for all of them.
      if (
        at.isSweep &&
        last?.names === names &&
        last.since === at.since &&
        at.nowMs - last.atMs < SWEEP_SHARED_MS
      ) {
        if (!last.isCovered) at.miss();
        return list;
      }
      const next = new Map<string, KeptValue<T>>();
      for (const name of names) next.set(name, look(name, at));
      known = next;
      const values = Array.from(next.values(), ({ value }) => value).filter((value) => value !== undefined);
      const isSame = values.length === list.length && values.every((value, i) => value === list[i]);
      if (!isSame) list = values;
      let isCovered = true;
      for (const { dependencies } of next.values()) isCovered &&= dependencies.coverage !== undefined;
      // A scan without a comparison doesn't count as one.
      if (at.isSweep) last = { names, since: at.since, atMs: at.nowMs, isCovered };
      return list;
    },
    keep(names) {
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
    },
  };
};

/** Copies plain data, because V8 keeps all of a file's text for each part of it that is kept. */
export const ownCopy = <T>(value: T): T => structuredClone(value);

/**
 * Creates a function that computes a result only when one of its arguments is another object than before. It returns the
 * same object while the result is equal.
 */
export const createMemo = <Arguments extends readonly unknown[], T>(
  compute: (...values: Arguments) => T,
): ((...values: Arguments) => T) => {
  let last: { readonly values: Arguments; readonly result: T } | undefined;
  return (...values) => {
    if (last?.values.every((value, i) => value === values[i])) return last.result;
    const result = compute(...values);
    last = { values, result: last && isDeepStrictEqual(last.result, result) ? last.result : result };
    return last.result;
  };
};
