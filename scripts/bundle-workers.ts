import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';
import { withoutUnusedPackages } from './without-unused-packages.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The entries of threads. src/server/locations.ts names the files that they become. */
const WORKERS = {
  'disk-worker': 'src/server/workers/disk-worker.ts',
  'mint-worker': 'src/server/wallet/mint-worker.ts',
  'prompt-worker': 'src/server/workers/prompt-worker.ts',
  'sessions-worker': 'src/server/workers/sessions-worker.ts',
};

/** The program of a service that sells an agent. src/server/locations.ts names its file. */
const SELL_PROGRAM = 'sell-process';

/** The name of a bundled thread or program. */
export type BundledName = keyof typeof WORKERS | typeof SELL_PROGRAM;

/**
 * Bundles what an entry needs into one CommonJS file, `name`.cjs in `outDir`. With `loadsLater`, what it imports later is
 * in files next to it.
 */
const bundleAlone = (entry: string, name: string, outDir: string, plugins: Plugin[], loadsLater = false) =>
  build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [withoutUnusedPackages, ...plugins],
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir,
      emptyOutDir: false,
      target: 'node24',
      minify: true,
      rolldownOptions: {
        output: {
          format: 'cjs',
          // V8 keeps a source with one other character in it at two bytes a character.
          charset: 'ascii',
          entryFileNames: `${name}.cjs`,
          chunkFileNames: `${name}-[name]-[hash].cjs`,
          dynamicImportInCjs: false,
          // One file with what is imported later wraps each module in a function, which takes memory.
          ...(loadsLater ? {} : { codeSplitting: false }),
        },
      },
    },
  });

/**
 * Bundles each thread entry into one CommonJS file in `outDir`, and the program of services without its tokenizer, after the program that
 * starts them is built there. Electron's own test of threads in an asar covers CommonJS only (docs/adr/0024).
 */
export const bundleWorkers = (outDir: string, plugins: Plugin[] = []): Plugin => ({
  name: 'bundle-workers',
  apply: 'build',
  async closeBundle(error) {
    if (error) return;
    for (const [name, entry] of Object.entries(WORKERS)) await bundleAlone(entry, name, outDir, plugins);
    await bundleAlone('src/server/selling/process/sell-process.ts', SELL_PROGRAM, outDir, plugins, true);
  },
});

/** What headless.ts loads later, under the name of the other file. */
const loadServerLater: Plugin = {
  name: 'load-server-later',
  enforce: 'pre',
  resolveId: (id) => (id.endsWith('/run-headless.ts') ? { id: './server.cjs', external: true } : undefined),
};

/**
 * Bundles the server without a window into two files, so that the first can set how the second is compiled and loaded.
 * Chunks shared with the window would be loaded before that.
 */
export const bundleHeadless: Plugin = {
  name: 'bundle-headless',
  apply: 'build',
  async closeBundle(error) {
    if (error) return;
    await bundleAlone('src/server/run-headless.ts', 'server', 'out/main', [], true);
    await bundleAlone('src/server/headless.ts', 'headless', 'out/main', [loadServerLater]);
  },
};
