// @ts-check
/**
 * Places for several kinds of callers, so that no kind can fill what all need. For paid-request.mjs, without dependencies.
 */

/**
 * Creates places: some are reserved for each kind, and any kind can use the others.
 *
 * `take` takes a place for a kind. It returns the function that frees it, or undefined if none is left.
 * @template {string} Kind @param {Readonly<Record<Kind, number>>} reserved @param {number} common
 */
export const createShares = (reserved, common) => {
  /** How many places each kind has. @type {Map<Kind, number>} */
  const taken = new Map();
  /** How many places that aren't reserved are in use. */
  let used = 0;
  return {
    /** @param {Kind} kind @returns {(() => void) | undefined} */
    take(kind) {
      const own = taken.get(kind) ?? 0;
      if (own >= reserved[kind]) {
        if (used >= common) return undefined;
        used += 1;
      }
      taken.set(kind, own + 1);
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        const left = (taken.get(kind) ?? 0) - 1;
        taken.set(kind, left);
        if (left >= reserved[kind]) used -= 1;
      };
    },
  };
};
