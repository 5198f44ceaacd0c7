import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { makeStandInProgram } from '../support/package/packed-server.ts';
import { skipAll } from '../support/skip-all.ts';
import { makeTempDirectory } from '../support/temp.ts';

const SMOKE = fileURLToPath(new URL('../../scripts/smoke.ts', import.meta.url));
const { linux } = inject('packages');

/** Runs `npm run smoke` on a path. */
const smoke = async (path: string) => {
  const child = spawn(process.execPath, [SMOKE, path], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { status, stdout, stderr };
};

// In a packed program, plain Node stands in for Electron: it reads the archive and runs its server and threads.
describe('the smoke test of a packed program', () => {
  skipAll(process.platform === 'linux' ? undefined : 'the stand-in program is a shell script for Linux');

  it('finds it in the output folder, and tries its page, its threads, its wallet and its exit', async () => {
    const output = await makeTempDirectory();
    const unpacked = process.arch === 'arm64' ? 'linux-arm64-unpacked' : 'linux-unpacked';
    await makeStandInProgram(linux, join(output, unpacked));
    const { status, stdout, stderr } = await smoke(output);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      `Testing ${join(output, unpacked, 'dot-mi')}`,
      'ok  The program starts and its API answers.',
      'ok  It serves the page.',
      'ok  The disk thread lists the agents of the starter root.',
      'ok  The mint thread receives a token and SQLite keeps it.',
      'ok  It calculates with WebAssembly.',
      'ok  It quits in order.',
      '',
    ]);
  });

  it.each([
    ['out/main/disk-worker.cjs', 'The disk thread lists the agents of the starter root'],
    ['out/main/secp256k1.wasm', 'It calculates with WebAssembly'],
  ])('fails for a package in which %s is broken, and says which step failed', async (broken, step) => {
    const directory = await makeTempDirectory();
    await makeStandInProgram(linux, directory, broken);
    const { status, stderr } = await smoke(directory);
    expect(status).toBe(1);
    expect(stderr).toContain(`${step}: failed, because`);
  });

  it('fails if there is no program', async () => {
    const directory = await makeTempDirectory();
    expect(await smoke(directory)).toEqual({
      status: 1,
      stdout: '',
      stderr: `There is no packed program in ${directory}. Run "npm run package".\n`,
    });
  });
});
