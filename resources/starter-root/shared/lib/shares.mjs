// @ts-check
/**
 * Places for several kinds of callers, so that no kind can fill what all need. For paid-request.mjs, without dependencies.
 */

/**
 * Creates places: some are reserved for each kind, and any kind can use the others.
 *
 * `take` takes places for a kind, by default one. It returns the function that frees them, or undefined if too few are left.
 * @template {string} Kind @param {Readonly<Record<Kind, number>>} reserved @param {number} common
 */
export const createShares = (reserved, common) => {
  /** How many places each kind has. @type {Map<Kind, number>} */
  const taken = new Map();
  /** How many places that aren't reserved are in use. */
  let used = 0;
  /** Changes how many places a kind has. @param {Kind} kind @param {number} places */
  const change = (kind, places) => {
    const before = taken.get(kind) ?? 0;
    const beyond = (/** @type {number} */ all) => Math.max(0, all - reserved[kind]);
    const more = beyond(before + places) - beyond(before);
    if (used + more > common) return false;
    used += more;
    taken.set(kind, before + places);
    return true;
  };
  return {
    /** @param {Kind} kind @param {number} [places] @returns {(() => void) | undefined} */
    take(kind, places = 1) {
      if (!change(kind, places)) return undefined;
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        change(kind, -places);
      };
    },
  };
};
