import { spawn } from 'node:child_process';
import { copyFile, cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { NO_OUTSIDE } from '../support/no-outside.ts';
import { layOutAsar } from '../support/package/asar.ts';
import { putElectronStub } from '../support/package/electron-stub.ts';
import { makeTempDirectory } from '../support/temp.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { linux } = inject('packages');

/** The resources as they are installed, but for the archive, which plain Node cannot read: a directory of its name. */
const layOut = async () => {
  const directory = await makeTempDirectory();
  const asar = join(linux, 'resources', 'app.asar');
  await layOutAsar(asar, join(directory, 'app.asar'));
  await cp(`${asar}.unpacked`, join(directory, 'app.asar.unpacked'), { recursive: true });
  return { directory, app: join(directory, 'app.asar') };
};

const start = (script: string, cwd: string, environment: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, [script], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, PORT: '0', LOG_LEVEL: 'error', ...NO_OUTSIDE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /api\s+(http:\S+)/.exec(out)?.[1];
      if (found) resolve(found);
    });
    void exited.then(() => reject(new Error(`ended: ${out}${err}`)));
  });
  // Only one of the two is waited for.
  url.catch(() => undefined);
  return { exited, url, stdout: () => out, stderr: () => err };
};

describe('the packed program', () => {
  it('starts under plain Node up to its first call of Electron: every other module is in the package', async () => {
    const { directory, app } = await layOut();
    await putElectronStub(directory);
    const { main } = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'));
    const program = start(join(app, main), directory);
    expect(await program.exited).toBe(0);
    expect(program.stderr()).toBe('');
    expect(program.stdout()).toMatch(/^first call of Electron: app\.\w+$/);
  });

  it('serves the page and the API, runs its threads, and makes the starter root out of the unpacked resources', async () => {
    const { directory, app } = await layOut();
    // The same server behind the other entry, which is not packed.
    await copyFile(join(root, 'out', 'main', 'headless.js'), join(app, 'out', 'main', 'headless.js'));
    const data = join(directory, 'user-data');
    await mkdir(data);
    const server = start(join(app, 'out', 'main', 'headless.js'), data);
    const api = await server.url;
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(await (await fetch(`${api}/health`)).json()).toMatchObject({ version });
    const page = await fetch(new URL('/', api), { headers: { Accept: 'text/html' } });
    expect(await page.text()).toContain('<title>dot-mi</title>');
    // The scanner's thread.
    expect(await (await fetch(`${api}/agents`)).json()).toMatchObject({
      agents: [{ id: 'scout' }, { id: 'writer' }],
    });
    // The prices that are shipped.
    const { models } = await (await fetch(`${api}/pricing/models`)).json();
    expect(Object.keys(models)).not.toEqual([]);
    expect(await readdir(join(data, 'data', 'dot-mi-root'))).toEqual(
      expect.arrayContaining(['.gitignore', 'agents', 'setup.sh', 'shared']),
    );
    expect(server.stderr()).toBe('');
  });
});
