import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { makeLinuxElectron } from './electron-folder.ts';
import { has, PROJECT_URL, packInto, runPackage, UPDATE_FEED_URL } from './run-package.ts';

/** The output of `npm run package` with a stand-in Electron, built once for its tests. Paths are absolute. */
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
}

declare module 'vitest' {
  interface ProvidedContext {
    packages: Packages;
  }
}

const FPM = fileURLToPath(new URL('./fpm.ts', import.meta.url));

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

const packLinux = async (directory: string): Promise<Packages> => {
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

/** Vitest's global setup of the project `package`. */
export default async ({ provide }: TestProject) => {
  const [packages, remove] = await packInto(packLinux);
  provide('packages', packages);
  return remove;
};
