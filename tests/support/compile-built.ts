// Playwright's setup: compiles the built server that tests start, once.
export { compileBuilt as default } from './compile-cache.ts';
