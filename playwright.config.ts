import { defineConfig } from '@playwright/test';
import { findChromium } from './scripts/chromium.ts';

const executablePath = findChromium();

export default defineConfig({
  testDir: 'tests/e2e',
  globalSetup: './tests/support/compile-cache.ts',
  fullyParallel: true,
  // A third one takes as long as it saves: the browsers need all of two cores.
  workers: 2,
  // How long a person may wait is said where it is promised. These only end a test that hangs: a slow machine is slow.
  timeout: 4 * 60_000,
  expect: { timeout: 60_000 },
  forbidOnly: true,
  // Playwright empties it at its start.
  outputDir: 'test-results/playwright',
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
