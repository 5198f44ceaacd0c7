import { createEtagOf } from '../../src/server/platform/etag.ts';

/** The installation key of the servers that tests start, so that tests can predict ETags. */
export const TEST_INSTALLATION_KEY = '5e'.repeat(32);

/** Returns the ETag that a test's server gives these bytes. */
export const etagOf = (bytes: string | Uint8Array): string =>
  createEtagOf(TEST_INSTALLATION_KEY)(Buffer.from(bytes));
