import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const support = (name: string) => fileURLToPath(new URL(`./tests/support/${name}`, import.meta.url));
const SLOW_TESTS = 'tests/**/slow/**/*.test.{ts,tsx}';
const PACKAGE_TESTS = 'tests/package/*.test.ts';
/** They pack for macOS and Windows too, which takes a while. */
const OTHER_PACKAGE_TESTS = 'tests/package/systems/*.test.ts';
/** They have the double of Electron in common, which is one per process as Electron is. */
const SHELL_TESTS = ['tests/main/**/*.test.ts', 'tests/renderer/menu.test.ts'];
/** They take long and mostly wait, so they start first, and other files use the processor meanwhile. */
const LONGEST_FIRST = [
  'wallet/crash.test.ts',
  'services/strangers.test.ts',
  'services/lifetime.test.ts',
  'server/attacker-reads.test.ts',
  'server/attacker-changes.test.ts',
  'server/hostile-files.test.ts',
  'services/selling.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST_FIRST.findIndex((name) => moduleId.endsWith(name));
      return rank < 0 ? LONGEST_FIRST.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

/** Ends a test that hangs. A slow machine is slow, and its tests don't fail. */
const HANGS_AFTER_MS = 5 * 60_000;

export default defineConfig({
  resolve: {
    // Electron's package looks for its binary when it is imported; tests of the shell run on a double of it.
    alias: [
      { find: 'electron', replacement: support('electron-double.ts') },
      // Threads start from bundles.
      { find: /^\.{1,2}\/locations\.ts$/, replacement: support('bundled-locations.ts') },
    ],
  },
  test: {
    // Threads inherit it, which setup files do not reach.
    execArgv: ['--require', support('loopback-only.cjs')],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    // Half of the time a test waits for a process, a mint or a disk: one more than the cores that CI has.
    maxWorkers: 3,
    // No test mocks a module or leaves anything behind in one, so that a worker loads the server once and not for every file.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // `npm test` leaves out slow tests: those with this tag, and those in the folders slow/.
    tags: [{ name: 'slow' }],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/**/*.test.{ts,tsx}'],
          exclude: [PACKAGE_TESTS, OTHER_PACKAGE_TESTS, SLOW_TESTS, ...SHELL_TESTS],
          globalSetup: 'tests/support/bundle.ts',
        },
      },
      { extends: true, test: { name: 'shell', include: SHELL_TESTS, isolate: true } },
      {
        extends: true,
        test: { name: 'slow', include: [SLOW_TESTS], globalSetup: 'tests/support/bundle.ts' },
      },
      {
        extends: true,
        // They share packages that take a while to make, and are made only when one of them runs.
        test: {
          name: 'package',
          include: [PACKAGE_TESTS],
          globalSetup: 'tests/support/package/build-packages.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'other-packages',
          include: [OTHER_PACKAGE_TESTS],
          globalSetup: 'tests/support/package/build-other-packages.ts',
        },
      },
    ],
  },
});
