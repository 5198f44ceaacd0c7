import { defineConfig } from '@playwright/test';
import { findChromium } from './scripts/chromium.ts';

const executablePath = findChromium();
const isCi = Boolean(process.env.CI);

export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/support/compile-cache.ts',
  fullyParallel: true,
  // A third one takes as long as it saves: the browsers need all of two cores.
  workers: 2,
  // They only end what hangs: a busy machine is slow, and not red.
  timeout: 300_000,
  expect: { timeout: 120_000 },
  forbidOnly: true,
  // Some promises are in seconds, and a CI machine may be busy; what passed only the second time is reported as flaky.
  retries: isCi ? 1 : 0,
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      // Nothing but our own server is called: Chromium looks for updates and more otherwise.
      args: [
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--disable-quic',
      ],
    },
    // A trace of each test would be a third of their time; `--trace on` makes one by hand.
    trace: 'on-first-retry',
  },
});
