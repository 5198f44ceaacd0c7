import { config } from 'zod';

// Object schemas probe `new Function` when they are built, which our CSP reports as a violation. So this module is
// the first import of the page: before any module that builds a schema.
config({ jitless: true });
