import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin } from 'vite';
import { bundleHeadless, bundleWorkers } from './scripts/bundle-workers.ts';
import { curveFile } from './scripts/curve-file.ts';
import { pageContract } from './scripts/page-contract.ts';
import { listThirdParty } from './scripts/third-party.ts';
import { withoutUnusedPackages } from './scripts/without-unused-packages.ts';

/** Where the API listens while the page is developed; `npm run dev` starts it there. */
const DEV_API = 'http://127.0.0.1:8000';

/**
 * electron-vite writes relative asset paths, for pages loaded from files. Ours comes over http and has paths of its own
 * (/agents/scout), from which a relative asset would be sought in the wrong place.
 */
const absoluteAssets: Plugin = { name: 'absolute-assets', enforce: 'post', config: () => ({ base: '/' }) };

export default defineConfig({
  main: {
    plugins: [
      listThirdParty('main'),
      curveFile,
      withoutUnusedPackages,
      bundleWorkers('out/main', [listThirdParty('workers')]),
      bundleHeadless,
    ],
    build: {
      // All in one place: it starts twice as fast as from node_modules, and only what runs is packed.
      externalizeDeps: false,
      target: 'node24',
      minify: true,
      rolldownOptions: {
        input: 'src/main/index.ts',
        // src/server/locations.ts counts on every chunk lying right in out/main.
        // As CommonJS it starts 90 ms sooner: Node reads every export of a built-in module that an ES module imports, and
        // one of node:http loads all of fetch. See docs/adr/0024.
        output: {
          format: 'cjs',
          // V8 keeps a source with one other character in it at two bytes a character.
          charset: 'ascii',
          entryFileNames: '[name].cjs',
          chunkFileNames: '[name]-[hash].cjs',
        },
      },
    },
  },
  preload: {
    plugins: [listThirdParty('preload')],
    build: {
      externalizeDeps: false,
      // A sandboxed preload is CommonJS, and the package's type is module.
      rolldownOptions: {
        input: 'src/preload/index.ts',
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [pageContract, react(), tailwindcss(), absoluteAssets, listThirdParty('renderer')],
    // Its threads are builds of their own.
    worker: { plugins: () => [listThirdParty('renderer-workers')] },
    build: {
      minify: true,
      rolldownOptions: {
        input: 'src/renderer/index.html',
        // What the first view needs is one script instead of sixty: each is a request, which costs more than its code.
        // What several of the other views share is one more, and the editor, which is larger than all of them, is another.
        output: {
          codeSplitting: {
            groups: [
              { name: 'first-view', tags: ['$initial'], priority: 1 },
              { name: 'editor', test: /[\\/]features[\\/]files[\\/]/, minShareCount: 2 },
              { name: 'shared', minShareCount: 2 },
            ],
          },
        },
      },
    },
    // Host and Origin go through as the browser sent them, so the server's guard holds here too.
    server: { host: '127.0.0.1', proxy: { '/api': { target: DEV_API, changeOrigin: false } } },
  },
});
