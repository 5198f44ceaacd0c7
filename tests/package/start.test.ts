import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractFile } from '@electron/asar';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { putElectronStub } from '../support/package/electron-stub.ts';
import { layOutPacked, READS_ASAR, runInAsar } from '../support/package/packed-server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { linux } = inject('packages');

/** Starts a module of an archive in plain Node. */
const start = (module: string, cwd: string) => {
  const child = spawn(process.execPath, runInAsar(module), {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, PORT: '0', LOG_LEVEL: 'error', ...READS_ASAR },
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
  it('starts under plain Node up to its first call of Electron: every other module is in the archive', async () => {
    const directory = await makeTempDirectory();
    const archive = await layOutPacked(linux, directory);
    await putElectronStub(directory);
    const { main } = JSON.parse(extractFile(archive, 'package.json').toString());
    const program = start(join(archive, main), directory);
    expect(await program.exited).toBe(0);
    expect(program.stderr()).toBe('');
    expect(program.stdout()).toMatch(/^first call of Electron: app(\.\w+)+$/);
  });

  it('starts from the archive, and creates the prices and the starter root from the unpacked resources', async () => {
    const directory = await makeTempDirectory();
    const archive = await layOutPacked(linux, directory);
    const data = join(directory, 'user-data');
    await mkdir(data);
    const server = start(join(archive, 'out', 'main', 'headless.cjs'), data);
    const api = await server.url;
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(await (await fetch(`${api}/health`)).json()).toMatchObject({ version });
    expect(await (await fetch(`${api}/agents`)).json()).toMatchObject({
      agents: [{ id: 'scout' }, { id: 'translator' }, { id: 'writer' }],
    });
    const { models } = await (await fetch(`${api}/pricing/models`)).json();
    expect(Object.keys(models)).not.toEqual([]);
    expect(await readdir(join(data, 'data', 'dot-mi-root'))).toEqual(
      expect.arrayContaining(['.gitignore', 'agents', 'setup.sh', 'shared']),
    );
    expect(server.stderr()).toBe('');
  });
});
