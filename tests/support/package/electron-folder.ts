import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SENTINEL } from '@electron/fuses/dist/constants.js';
import { NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { ALL_FUSES } from './fuses.ts';

/**
 * Folders like Electron's own downloads, with empty stand-ins for its binaries. The parts that
 * electron-builder changes are real: the fuse wire, the property lists, the resources of the .exe.
 */

const EN_US = 1033;
const UNICODE = 1200;

/** The fuse wire of a released Electron: the version, the length, then its defaults. */
const fuseWire = () =>
  Buffer.concat([
    Buffer.from(SENTINEL, 'latin1'),
    Buffer.from([1, ALL_FUSES.length]),
    Buffer.from('10110011'),
  ]);

const plist = (entries: Readonly<Record<string, string>>) =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<plist version="1.0"><dict>',
    ...Object.entries(entries).map(([key, value]) => `<key>${key}</key><string>${value}</string>`),
    '</dict></plist>',
  ].join('\n');

const put = async (directory: string, files: Readonly<Record<string, string | Uint8Array>>) => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
};

const LICENCES = {
  LICENSE: "Electron's licence",
  'LICENSES.chromium.html': "<p>Chromium's licences</p>",
  version: '45.4.1',
};

/** Creates the Linux folder at `directory`. */
export const makeLinuxElectron = async (directory: string): Promise<void> => {
  await put(directory, {
    ...LICENCES,
    electron: Buffer.concat([Buffer.from('\x7fELF stand-in\n', 'latin1'), fuseWire()]),
    'chrome-sandbox': '',
    chrome_crashpad_handler: '',
    'icudtl.dat': '',
    'libffmpeg.so': '',
    'resources.pak': '',
    'locales/en-US.pak': '',
  });
  for (const name of ['electron', 'chrome-sandbox', 'chrome_crashpad_handler'])
    await chmod(join(directory, name), 0o755);
};

const HELPERS = ['', ' (GPU)', ' (Plugin)', ' (Renderer)'];

/** Creates the macOS folder at `directory`. */
export const makeMacElectron = async (directory: string): Promise<void> => {
  const helpers = HELPERS.map((kind) => `Electron Helper${kind}`).flatMap((name) => [
    [`Frameworks/${name}.app/Contents/Info.plist`, plist({ CFBundleExecutable: name })],
    [`Frameworks/${name}.app/Contents/MacOS/${name}`, ''],
  ]);
  await put(join(directory, 'Electron.app', 'Contents'), {
    'Info.plist': plist({ CFBundleExecutable: 'Electron', CFBundleIconFile: 'electron.icns' }),
    'MacOS/Electron': '',
    'Frameworks/Electron Framework.framework/Electron Framework': fuseWire(),
    'Resources/electron.icns': '',
    ...Object.fromEntries(helpers),
  });
  await put(directory, LICENCES);
  const versions = join(
    directory,
    'Electron.app',
    'Contents',
    'Frameworks',
    'Electron Framework.framework',
    'Versions',
  );
  await mkdir(join(versions, 'A'), { recursive: true });
  await writeFile(join(versions, 'A', 'Electron Framework'), '');
  await symlink('A', join(versions, 'Current'));
};

/** A Windows executable without code, but with the version resource and the fuse wire of every Electron. */
const makeExe = () => {
  const executable = NtExecutable.createEmpty(false, false);
  const resource = NtExecutableResource.from(executable);
  const version = Resource.VersionInfo.createEmpty();
  version.setStringValues({ lang: EN_US, codepage: UNICODE }, { ProductName: 'Electron' });
  version.outputToResourceEntries(resource.entries);
  resource.outputResource(executable);
  executable.setExtraData(new Uint8Array(fuseWire()).buffer);
  return Buffer.from(executable.generate());
};

/** Creates the Windows folder at `directory`. */
export const makeWindowsElectron = (directory: string): Promise<void> =>
  put(directory, {
    ...LICENCES,
    'electron.exe': makeExe(),
    'ffmpeg.dll': '',
    'resources.pak': '',
    'locales/en-US.pak': '',
  });
