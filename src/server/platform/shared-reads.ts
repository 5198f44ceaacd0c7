interface Rounds<T> {
  running?: Promise<T> | undefined;
  waiting?: Promise<T> | undefined;
}

/** Lets callers that make the same request share one read of the disk. See {@link createSharedReads}. */
interface SharedReads<T> {
  /**
   * Returns the result of a `look` that begins after this call. Calls with the same key must make the same request.
   */
  read(key: string, look: () => Promise<T>): Promise<T>;
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
    read(key, look) {
      const rounds = byKey.get(key) ?? {};
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
        return look();
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
