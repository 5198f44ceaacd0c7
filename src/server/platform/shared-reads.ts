interface Rounds<T> {
  running?: Promise<T> | undefined;
  waiting?: Promise<T> | undefined;
  /** Whether each caller of the waiting round left. */
  leavers: (() => boolean)[];
}

/** Lets callers that make the same request share one read of the disk. See {@link createSharedReads}. */
interface SharedReads<T> {
  /**
   * Returns the result of a `look` that begins after this call. Calls with the same key must make the same request.
   * `hasLeft` returns whether the caller no longer needs it, and `look` gets a function that returns whether all have left.
   */
  read(key: string, look: (haveLeft: () => boolean) => Promise<T>, hasLeft?: () => boolean): Promise<T>;
}

/**
 * Creates a {@link SharedReads}.
 *
 * A call never gets the result of a `look` that began before it, because a file may have changed in between. So all
 * calls during a `look` share the next one. However many callers there are, each round takes one `look`, and the next
 * request still sees an edit, on every operating system and without a watcher.
 */
export const createSharedReads = <T>(): SharedReads<T> => {
  const byKey = new Map<string, Rounds<T>>();

  return {
    read(key, look, hasLeft = () => false) {
      const rounds: Rounds<T> = byKey.get(key) ?? { leavers: [] };
      rounds.leavers.push(hasLeft);
      if (rounds.waiting) return rounds.waiting;
      byKey.set(key, rounds);

      const begin = rounds.running
        ? rounds.running.then(
            () => undefined,
            () => undefined,
          )
        : // Deferred, so that other calls in this turn of the event loop can join the round.
          new Promise<void>((resolve) => setImmediate(resolve));
      const round: Promise<T> = begin.then(() => {
        rounds.waiting = undefined;
        rounds.running = round;
        const { leavers } = rounds;
        rounds.leavers = [];
        return look(() => leavers.every((each) => each()));
      });
      rounds.waiting = round;

      const finish = () => {
        rounds.running = undefined;
        if (!rounds.waiting) byKey.delete(key);
      };
      round.then(finish, finish);
      return round;
    },
  };
};
