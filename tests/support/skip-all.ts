import { beforeEach } from 'vitest';

/** Skips every test of a file or of the block it is called in, and says why; does nothing where there is no reason. */
export const skipAll = (why: string | undefined): void => {
  beforeEach(({ skip }) => skip(why !== undefined, why));
};
