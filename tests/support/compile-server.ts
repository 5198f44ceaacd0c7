// Set-up of vitest: the servers that tests start are compiled once.
export { compileServer as default } from './compile-cache.ts';
