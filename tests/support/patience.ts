/**
 * How long a test waits for a condition before it fails, in ms. No machine that still makes progress is this slow, so
 * that a slow one is slow and not red. Nothing else in a test depends on how long something takes.
 */
export const PATIENCE_MS = 240_000;

/** The limit of a test that does much: many kills, rounds or searches, each as fast as the machine allows. In ms. */
export const LONG_TEST_MS = 30 * 60_000;
