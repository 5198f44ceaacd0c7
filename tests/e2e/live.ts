// A file of its own, because specs with different fixtures use it.
/** How soon the page shows what another program did: within a second, or five on a busy CI machine. */
export const LIVE_MS = process.env.CI ? 5_000 : 1_000;
