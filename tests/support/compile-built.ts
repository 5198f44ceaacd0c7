// Set-up of Playwright: the built server that tests start is compiled once.
export { compileBuilt as default } from './compile-cache.ts';
