import { defineConfig } from 'vite';
import { bundleWorkers } from '../../scripts/bundle-workers.ts';
import { curveFile } from '../../scripts/curve-file.ts';

/** The programs and threads that tests start, see bundle.ts. */
export default defineConfig({
  plugins: [curveFile, bundleWorkers('out/tests')],
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: 'out/tests',
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input: {
        headless: 'src/server/headless.ts',
        'wallet-entry': 'tests/support/wallet-entry.ts',
        'mint-process': 'tests/support/mint/mint-process.ts',
      },
      // As the program is built: it starts sooner than ES modules.
      output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
    },
  },
});
