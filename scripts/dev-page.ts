// `npm run dev:page`: the page with hot reload, for any browser. `electron-vite dev` would need Electron.
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import config from '../electron.vite.config.ts';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';

readCommandLine(
  `Serves the page with hot reload, for any browser. It forwards /api to port 8000.

Usage: npm run dev:page

${HELP_LINE}`,
  {},
);

// The build's entries are relative to another folder. Vite finds index.html automatically.
const { build: _build, ...renderer } = config.renderer ?? {};

const server = await createServer({
  ...renderer,
  root: fileURLToPath(new URL('../src/renderer', import.meta.url)),
  configFile: false,
});
await server.listen();
server.printUrls();
