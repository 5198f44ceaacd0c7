import { createRoot } from '../../src/server/platform/root.ts';
import { createSessionsIndex } from '../../src/server/sessions/sessions-index.ts';
import { openSessionsStore } from '../../src/server/sessions/sessions-store.ts';

// Another process that reads the sessions of a root: `fork(index-sessions.ts, [ROOT, DATABASE])`. It says when it begins,
// and then reads everything, so that it can be killed in between.
const [root = '', database = ''] = process.argv.slice(2);
const store = openSessionsStore(database);
const index = createSessionsIndex(createRoot(root), store, Date.now, root);
process.send?.('begins', () => {
  for (const _step of index.refresh());
  store.close();
  process.disconnect();
});
