// As long as an agent id may be.
const MAX_ID_LENGTH = 64;

/** The first of `scout-copy`, `scout-copy-2`, … that is not taken; a long id is cut so that the whole is one. */
export const freeCopyId = (id: string, taken: ReadonlySet<string>): string => {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '-copy' : `-copy-${number}`;
    const copy = id.slice(0, MAX_ID_LENGTH - end.length) + end;
    if (!taken.has(copy)) return copy;
  }
};
