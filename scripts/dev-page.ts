// `npm run dev:page`: the page with hot reload, for any browser. `electron-vite dev` would need Electron's binary.
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import config from '../electron.vite.config.ts';

// The entries of a build are relative to another folder, and Vite finds index.html by itself.
const { build: _build, ...renderer } = config.renderer ?? {};

const server = await createServer({
  ...renderer,
  root: fileURLToPath(new URL('../src/renderer', import.meta.url)),
  configFile: false,
});
await server.listen();
server.printUrls();
