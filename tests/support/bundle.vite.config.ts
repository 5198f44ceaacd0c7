import { defineConfig } from 'vite';
import { curveFile } from '../../scripts/curve-file.ts';

/** The programs and threads that tests start, see bundle.ts. */
export default defineConfig({
  plugins: [curveFile],
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: 'out/tests',
    target: 'node24',
    minify: false,
    rolldownOptions: {
      input: {
        headless: 'src/server/headless.ts',
        'scan-worker': 'src/server/workers/scan-worker.ts',
        'signature-worker': 'src/server/workers/signature-worker.ts',
        'mint-worker': 'src/server/workers/mint-worker.ts',
        'watch-worker': 'src/server/workers/watch-worker.ts',
        'wallet-entry': 'tests/support/wallet-entry.ts',
        'mint-process': 'tests/support/mint/mint-process.ts',
      },
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
