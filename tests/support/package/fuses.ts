import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { FuseState } from '@electron/fuses/dist/constants.js';

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

/** Reads from an Electron binary which fuses are on. */
export const readFuses = async (binary: string): Promise<Record<string, boolean>> => {
  const wire = await getCurrentFuseWire(binary);
  return Object.fromEntries(ALL_FUSES.map((name) => [name, wire[FuseV1Options[name]] === FuseState.ENABLE]));
};
