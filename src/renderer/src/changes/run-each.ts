/** How many requests run at a time. */
const AT_ONCE = 4;

/** One request that failed. */
export interface Failure<T> {
  readonly item: T;
  readonly error: unknown;
}

/**
 * Runs `run` for each item, a few at a time, and continues when one fails. Results are in the order of the items.
 * `onProgress` gets the number finished so far.
 */
export const runEach = async <T, R>(
  items: readonly T[],
  run: (item: T) => Promise<R>,
  onProgress: (done: number) => void = () => {},
): Promise<{ readonly results: readonly R[]; readonly failures: readonly Failure<T>[] }> => {
  const results: (R | undefined)[] = [];
  const hasResult: boolean[] = [];
  const failures: Failure<T>[] = [];
  const queue = items.entries();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        results[index] = await run(item);
        hasResult[index] = true;
      } catch (error) {
        failures.push({ item, error });
      }
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return { results: results.filter((_, index) => hasResult[index]) as R[], failures };
};
