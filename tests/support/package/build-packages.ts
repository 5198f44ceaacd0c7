import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { build } from '../../../scripts/build.ts';
import { NO_OUTSIDE } from '../no-outside.ts';
import { makeLinuxElectron, makeMacElectron, makeWindowsElectron } from './electron-folder.ts';

/** The output of `npm run package` with stand-in Electrons, built once for its tests. Paths are absolute. */
export interface Packages {
  /** The unpacked Linux folder. */
  linux: string;
  /** Undefined where the machine has no dpkg. */
  deb: string | undefined;
  /** Undefined where the machine has no rpmbuild. */
  rpm: string | undefined;
  /** Undefined where the machine has no mksquashfs. */
  appImage: string | undefined;
  /** The folder of the Linux packages, with their update feed. */
  linuxOutput: string;
  /** dot-mi.app */
  mac: string;
  /** dot-mi.app for a Mac that updates itself. Undefined where the machine has no zip and unzip. */
  macZip: string | undefined;
  /** The unpacked Windows folder. */
  windows: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    packages: Packages;
  }
}

/** The update feed of the Linux and macOS packages. The Windows packages have none. */
export const UPDATE_FEED_URL = 'https://updates.example/dot-mi';
export const PROJECT_URL = 'https://project.example/dot-mi';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const FPM = fileURLToPath(new URL('./fpm.ts', import.meta.url));

/** Stops npm from looking for a newer version and from leaving a log. */
const QUIET_NPM = { npm_config_update_notifier: 'false', npm_config_logs_max: '0' };

/** Runs `npm run package` on the existing build. It ends if it tries to reach another machine. */
const runPackage = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const child = spawn('npm', ['run', 'package', '--', '--no-build', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: tmpdir(), ...QUIET_NPM, ...NO_OUTSIDE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, status] = await Promise.all([
    Promise.all([readText(child.stdout), readText(child.stderr)]),
    once(child, 'exit').then(([code]) => code),
  ]);
  if (status !== 0) throw new Error(`npm run package -- ${args.join(' ')}\n${output.join('')}`);
};

const makeFpm = async (directory: string): Promise<string> => {
  const path = join(directory, 'fpm');
  await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${FPM}" "$@"\n`);
  await chmod(path, 0o755);
  return path;
};

/** The first bytes of the AppImage. The real one has the program there that mounts the rest. */
export const APPIMAGE_RUNTIME = 'runtime stand-in';

/** Stand-ins for electron-builder's downloads: Debian's mksquashfs, and dummies for what nobody runs here. */
const makeAppImageTools = async (directory: string): Promise<string> => {
  const tools = join(directory, 'appimage-tools');
  await mkdir(join(tools, 'runtimes'), { recursive: true });
  await mkdir(join(tools, 'lib', 'x64'), { recursive: true });
  await writeFile(join(tools, 'runtimes', 'runtime-x64'), APPIMAGE_RUNTIME);
  await writeFile(join(tools, 'desktop-file-validate'), '');
  await writeFile(join(tools, 'mksquashfs'), '#!/bin/sh\nexec mksquashfs "$@"\n');
  await chmod(join(tools, 'mksquashfs'), 0o755);
  return tools;
};

const has = (command: string, flag: string) => spawnSync(command, [flag]).error === undefined;

const packLinux = async (
  directory: string,
): Promise<Pick<Packages, 'linux' | 'deb' | 'rpm' | 'appImage' | 'linuxOutput'>> => {
  const targets = [
    ...(has('dpkg-deb', '--version') ? ['deb'] : []),
    ...(has('rpmbuild', '--version') ? ['rpm'] : []),
    ...(has('mksquashfs', '-version') ? ['AppImage'] : []),
  ];
  const electron = join(directory, 'electron-linux');
  const output = join(directory, 'linux');
  await makeLinuxElectron(electron);
  await runPackage(
    [
      '--linux',
      ...(targets.length > 0 ? targets : ['--dir']),
      '--x64',
      `-c.electronDist=${electron}`,
      `-c.directories.output=${output}`,
    ],
    {
      CUSTOM_FPM_PATH: await makeFpm(directory),
      APPIMAGE_TOOLS_PATH: await makeAppImageTools(directory),
      UPDATE_FEED_URL,
      PROJECT_URL,
    },
  );
  const names = await readdir(output);
  const made = (extension: string) => {
    const name = names.find((candidate) => candidate.endsWith(extension));
    return name && join(output, name);
  };
  return {
    linux: join(output, 'linux-unpacked'),
    deb: made('.deb'),
    rpm: made('.rpm'),
    appImage: made('.AppImage'),
    linuxOutput: output,
  };
};

/** A stand-in for electron-builder's download of 7-Zip: `zip` does the same for a zip with links. */
const make7Zip = async (directory: string): Promise<string> => {
  const path = join(directory, '7za');
  const expected = 'a -bd -mx=7 -mtc=off -mm=Deflate -mcu -snl';
  await writeFile(
    path,
    `#!/bin/sh\n[ "$1 $2 $3 $4 $5 $6 $7" = "${expected}" ] && shift 7 && exec zip -q -r -y -1 "$@"\necho "7za stand-in: $*" >&2\nexit 1\n`,
  );
  await chmod(path, 0o755);
  return path;
};

const packMac = async (directory: string): Promise<Pick<Packages, 'mac' | 'macZip'>> => {
  const electron = join(directory, 'electron-mac');
  const output = join(directory, 'mac');
  const isZipped = has('zip', '-v') && has('unzip', '-v');
  await makeMacElectron(electron);
  await runPackage(
    [
      '--mac',
      isZipped ? 'zip' : '--dir',
      '--arm64',
      `-c.electronDist=${electron}`,
      `-c.directories.output=${output}`,
      // Codesign couldn't repair the stand-in.
      '-c.electronFuses.resetAdHocDarwinSignature=false',
      '-c.mac.identity=null',
    ],
    { ELECTRON_BUILDER_7ZIP_PATH: await make7Zip(directory), UPDATE_FEED_URL },
  );
  const zip = (await readdir(output)).find((name) => name.endsWith('.zip'));
  return { mac: join(output, 'mac-arm64', 'dot-mi.app'), macZip: zip && join(output, zip) };
};

const packWindows = async (directory: string) => {
  const electron = join(directory, 'electron-windows');
  const output = join(directory, 'windows');
  await makeWindowsElectron(electron);
  await runPackage([
    '--win',
    '--dir',
    '--x64',
    `-c.electronDist=${electron}`,
    `-c.directories.output=${output}`,
  ]);
  return join(output, 'win-unpacked');
};

/** Vitest's global setup of the project `package`. */
export default async ({ provide }: TestProject) => {
  if (!existsSync(join(root, 'out', 'third-party')) && !build()) throw new Error('The build failed.');
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-packages-')));
  try {
    const [linux, mac, windows] = await Promise.all([
      packLinux(directory),
      packMac(directory),
      packWindows(directory),
    ]);
    provide('packages', { ...linux, ...mac, windows });
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  return () => rm(directory, { recursive: true, force: true });
};
