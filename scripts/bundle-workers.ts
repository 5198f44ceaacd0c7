import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The thread entries in src/server/workers. src/server/locations.ts names the files that they become. */
export const WORKERS = [
  'scan-worker',
  'check-worker',
  'signature-worker',
  'mint-worker',
  'sessions-worker',
  'watch-worker',
  'prompt-worker',
] as const;

/**
 * Bundles each thread entry into one CommonJS file in `outDir`, after the program that starts them is built
 * there. Electron's own test of threads in an asar covers CommonJS only (docs/adr/0024).
 */
export const bundleWorkers = (outDir: string, plugins: Plugin[] = []): Plugin => ({
  name: 'bundle-workers',
  apply: 'build',
  async closeBundle(error) {
    if (error) return;
    for (const name of WORKERS)
      await build({
        root,
        configFile: false,
        logLevel: 'warn',
        publicDir: false,
        plugins,
        ssr: { noExternal: true },
        build: {
          ssr: `src/server/workers/${name}.ts`,
          outDir,
          emptyOutDir: false,
          target: 'node24',
          minify: true,
          rolldownOptions: {
            output: { format: 'cjs', entryFileNames: `${name}.cjs`, codeSplitting: false },
          },
        },
      });
  },
});
