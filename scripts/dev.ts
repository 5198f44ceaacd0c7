// `npm run dev`: the desktop window with hot reload. npm installs Electron without its binary, so fetch that first.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { fetchElectron, findElectron, windowObstacle } from './electron.ts';

const USAGE = `Opens the desktop window with hot reload. These are options of electron-vite.

Usage: npm run dev -- [options] [-- ARGUMENTS]

  -w, --watch                   build main and preload again when they change
  --inspect [PORT]              let a debugger attach to the main process
  --inspectBrk [PORT]           wait for that debugger before the start
  --remoteDebuggingPort PORT    let a debugger attach to the page
  --sourcemap                   write source maps
  -- ARGUMENTS                  pass the rest to Electron
${HELP_LINE}`;

readCommandLine(
  USAGE,
  {
    watch: { type: 'boolean', short: 'w' },
    inspect: { type: 'boolean' },
    inspectBrk: { type: 'boolean' },
    remoteDebuggingPort: { type: 'string' },
    sourcemap: { type: 'boolean' },
  },
  { positionals: /./ },
);

const endWith = (why: string): never => {
  console.error(`No window can open because ${why}. For the page with hot reload, run npm run dev:page.`);
  process.exit(1);
};

const obstacle = windowObstacle();
if (obstacle) endWith(obstacle);
if (!(findElectron() ?? fetchElectron())) endWith('Electron could not be downloaded');

const cli = fileURLToPath(new URL('../node_modules/electron-vite/bin/electron-vite.js', import.meta.url));
const child = spawn(process.execPath, [cli, 'dev', ...process.argv.slice(2)], { stdio: 'inherit' });
// The terminal sends them to the whole group. Stay until the child has ended.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
