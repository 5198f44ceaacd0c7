// In its own file because it must run before the page's other imports: object schemas probe `new Function` when
// they're built, which our CSP reports as a violation.
import { config } from 'zod';

config({ jitless: true });
