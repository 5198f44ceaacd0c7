// `--import` of the processes that run the built shell under plain Node: replaces `electron` with the double.
import { registerHooks } from 'node:module';

const DOUBLE = new URL(import.meta.url.endsWith('.ts') ? './electron.ts' : './electron.js', import.meta.url)
  .href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: DOUBLE, shortCircuit: true } : next(specifier, context),
});
