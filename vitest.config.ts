import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // Electron's package looks for its binary when it is imported; tests of the shell run on a double of it.
    alias: { electron: fileURLToPath(new URL('./tests/support/electron-double.ts', import.meta.url)) },
  },
  test: {
    // Threads inherit it, which setup files do not reach.
    execArgv: ['--import', fileURLToPath(new URL('./tests/support/loopback-only.ts', import.meta.url))],
    include: ['tests/**/*.test.{ts,tsx}'],
    // Real processes, files and scripts on a machine that may have two cores.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
  },
});
