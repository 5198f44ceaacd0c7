import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildOnce, runBuilder } from '../../scripts/build.ts';
import type { BundledName } from '../../scripts/bundle-workers.ts';
import { compile } from './compile-cache.ts';

// src/server/locations.ts finds its threads, the page and resources from a directory directly below out.
const DIRECTORY = fileURLToPath(new URL('../../out/tests/', import.meta.url));

/**
 * The programs and threads that tests start. They are bundled, like those of a release: a process or thread
 * that loads hundreds of source files costs two to five times the processor time.
 */
const PROGRAMS = ['headless', 'wallet-entry', 'mint-process'] as const;

/** The path of a bundled program. */
export const bundledProgram = (name: (typeof PROGRAMS)[number]): string => `${DIRECTORY}${name}.cjs`;

/** The URL of a bundled thread, or of the program of services. */
export const bundledThread = (name: BundledName): URL => pathToFileURL(`${DIRECTORY}${name}.cjs`);

/** Bundles them, unless nothing changed. Throws if that fails. */
export const bundleServer = async (): Promise<void> => {
  let isNew = false;
  const isThere = buildOnce(
    {
      inputs: [
        'src/server',
        'src/shared',
        'resources/starter-root/shared/lib',
        'tests/support',
        'scripts',
        'package-lock.json',
      ],
      outputs: PROGRAMS.map(bundledProgram),
      stamp: 'dot-mi-test-bundle',
    },
    () => {
      isNew = true;
      return runBuilder('vite/bin/vite.js', ['build', '--config', 'tests/support/bundle.vite.config.ts']);
    },
  );
  if (!isThere) throw new Error('The server could not be bundled.');
  if (isNew) await compile(bundledProgram('headless'));
};

/** Vitest's setup. */
export default bundleServer;
