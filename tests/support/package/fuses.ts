import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { FuseState } from '@electron/fuses/dist/constants.js';
import { makeTempDirectory } from '../temp.ts';

/** Every fuse of the wire, in order. */
export const ALL_FUSES = [
  'RunAsNode',
  'EnableCookieEncryption',
  'EnableNodeOptionsEnvironmentVariable',
  'EnableNodeCliInspectArguments',
  'EnableEmbeddedAsarIntegrityValidation',
  'OnlyLoadAppFromAsar',
  'LoadBrowserProcessSpecificV8Snapshot',
  'GrantFileProtocolExtraPrivileges',
] as const satisfies readonly (keyof typeof FuseV1Options)[];

/** The fuses of every packed program. */
export const FUSES: Readonly<Record<(typeof ALL_FUSES)[number], boolean>> = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
};

const readFuses = async (binary: string): Promise<Record<string, boolean>> => {
  const wire = await getCurrentFuseWire(binary);
  return Object.fromEntries(ALL_FUSES.map((name) => [name, wire[FuseV1Options[name]] === FuseState.ENABLE]));
};

/** Reads from a copy of an Electron binary which fuses are on. The library takes a path with .app for a bundle. */
export const readFusesOfCopy = async (binary: string): Promise<Record<string, boolean>> => {
  const copy = join(await makeTempDirectory(), 'binary');
  await copyFile(binary, copy);
  return readFuses(copy);
};
