// Its own file because it must run before any other import of the page: object schemas probe `new Function` when they
// are built, which our CSP reports as a violation.
import { config } from 'zod';

config({ jitless: true });
