import { beforeEach } from 'vitest';

/** Skips every test of the file or block that calls it, and says why. Does nothing without a reason. */
export const skipAll = (why: string | undefined): void => {
  beforeEach(({ skip }) => skip(why !== undefined, why));
};
