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

/** Bundles what an entry needs into one CommonJS file, `name`.cjs in `outDir`. */
const bundleAlone = (entry: string, name: string, outDir: string, plugins: Plugin[]) =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins,
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: false,
      target: 'node24',
      minify: true,
      rolldownOptions: {
        output: { format: 'cjs', entryFileNames: `${name}.cjs`, codeSplitting: false },
      },
    },
  });

/**
 * Bundles each thread entry into one CommonJS file in `outDir`, after the program that starts them is built
 * there. Electron's own test of threads in an asar covers CommonJS only (docs/adr/0024).
 */
export const bundleWorkers = (outDir: string, plugins: Plugin[] = []): Plugin => ({
  name: 'bundle-workers',
  apply: 'build',
  async closeBundle(error) {
    if (error) return;
    for (const name of WORKERS) await bundleAlone(`src/server/workers/${name}.ts`, name, outDir, plugins);
  },
});

/**
 * Bundles the server without a window into one file. In chunks that it shares with the window, its entry would load most
 * of them before it can set how they are loaded.
 */
export const bundleHeadless: Plugin = {
  name: 'bundle-headless',
  apply: 'build',
  async closeBundle(error) {
    if (!error) await bundleAlone('src/server/headless.ts', 'headless', 'out/main', []);
  },
};
