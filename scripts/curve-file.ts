// In a file of its own, because the build of the program and that of the tests need it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const CURVE_WASM = fileURLToPath(
  new URL('../node_modules/tiny-secp256k1/lib/secp256k1.wasm', import.meta.url),
);

/** tiny-secp256k1 reads its WebAssembly from a file next to its own code, which becomes a chunk of a build. */
export const curveFile: Plugin = {
  name: 'curve-file',
  apply: 'build',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'secp256k1.wasm', source: readFileSync(CURVE_WASM) });
  },
};
