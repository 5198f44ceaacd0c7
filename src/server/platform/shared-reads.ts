interface Rounds<T> {
  running?: Promise<T> | undefined;
  waiting?: Promise<T> | undefined;
}

/** Lets all who ask the same question at the same time share one look at the disk; see {@link createSharedReads}. */
export interface SharedReads<T> {
  /** The result of a `look` that begins after this call. Calls of one key must ask the same question. */
  read(key: string, look: () => Promise<T>): Promise<T>;
}

/**
 * Makes a {@link SharedReads}.
 *
 * A look that began before a question came is never its answer: a file may have changed in between. So whoever
 * comes while one is under way shares the next one. Many callers then cost one look a round, whatever their
 * number, and an edit is still seen by the next request, on every operating system and without a watcher.
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
        : // Not at once: what else arrives in this turn of the event loop can then share the round.
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
