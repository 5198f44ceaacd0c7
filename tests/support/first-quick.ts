/** Variations of one test for `test.each`: the first ones are quick, and the others are tagged as slow. */
export const firstQuick = <
  Row extends [unknown, ...unknown[]] | readonly unknown[] | string | number | object,
>(
  count: number,
  rows: readonly Row[],
): [tags: string[], rows: Row[]][] => [
  [[], rows.slice(0, count)],
  [['slow'], rows.slice(count)],
];
