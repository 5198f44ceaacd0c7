// Vitest's setup: compiles the server that tests start, once.
export { compileServer as default } from './compile-cache.ts';
