/** What one round measured of ours and of what is beside it. */
export interface Pair<T> {
  ours: T;
  baseline: T;
}

/**
 * Measures two in turn, round by round, each second round backwards: who always goes first would gain from a machine that
 * slows down.
 */
export const measureInTurn = async <T>(
  rounds: number,
  ours: () => Promise<T>,
  baseline: () => Promise<T>,
): Promise<Pair<T>[]> => {
  const pairs: Pair<T>[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const first = await ours();
      pairs.push({ ours: first, baseline: await baseline() });
    } else {
      const first = await baseline();
      pairs.push({ ours: await ours(), baseline: first });
    }
  }
  return pairs;
};
