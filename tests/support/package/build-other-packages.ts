import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { makeMacElectron, makeWindowsElectron } from './electron-folder.ts';
import { has, packInto, runPackage, UPDATE_FEED_URL } from './run-package.ts';

/** What Linux can pack for the other systems with stand-in Electrons. Paths are absolute. */
export interface OtherPackages {
  /** dot-mi.app */
  mac: string;
  /** dot-mi.app for a Mac that updates itself. Undefined where the machine has no zip and unzip. */
  macZip: string | undefined;
  /** The unpacked Windows folder. */
  windows: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    otherPackages: OtherPackages;
  }
}

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

const packMac = async (directory: string): Promise<Pick<OtherPackages, 'mac' | 'macZip'>> => {
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
    // Only a signed program may have an update feed.
    { ELECTRON_BUILDER_7ZIP_PATH: await make7Zip(directory), UPDATE_FEED_URL, CSC_NAME: 'stand-in' },
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

/** Vitest's global setup of the project `other-packages`. */
export default async ({ provide }: TestProject) => {
  const [packages, remove] = await packInto(async (directory) => {
    const [mac, windows] = await Promise.all([packMac(directory), packWindows(directory)]);
    return { ...mac, windows };
  });
  provide('otherPackages', packages);
  return remove;
};
