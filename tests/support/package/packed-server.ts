import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPackage } from '@electron/asar';
import { NO_OUTSIDE } from '../no-outside.ts';
import { layOutAsar } from './asar.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const READ_ASAR = fileURLToPath(new URL('./read-asar.ts', import.meta.url));
const LOOPBACK_ONLY = fileURLToPath(new URL('../loopback-only.cjs', import.meta.url));

/**
 * The environment of a Node process that reads code from an app.asar. `--require` leaves the choice of Node's
 * loader to the file's name, as in Electron. `--import` would not.
 */
export const READS_ASAR: Readonly<Record<string, string>> = {
  ...NO_OUTSIDE,
  NODE_OPTIONS: `--require ${LOOPBACK_ONLY} --require ${READ_ASAR}`,
};

/** Node's arguments that run a module of an archive. */
export const runInAsar = (module: string): string[] => [
  '--input-type=module',
  '--eval',
  `await import(${JSON.stringify(module)})`,
];

/**
 * Puts the packed resources into `directory`, as they are installed, and adds the server without a window, which is not
 * packed. `broken` names a file of the archive that throws. Returns the path of the new archive.
 */
export const layOutPacked = async (linux: string, directory: string, broken?: string): Promise<string> => {
  const packed = join(linux, 'resources', 'app.asar');
  const files = await mkdtemp(join(directory, 'files-'));
  await layOutAsar(packed, files);
  for (const name of await readdir(join(root, 'out', 'main')))
    if (/^(headless|server)/.test(name))
      await copyFile(join(root, 'out', 'main', name), join(files, 'out', 'main', name));
  if (broken !== undefined) await writeFile(join(files, broken), "throw new Error('broken')");
  const archive = join(directory, 'resources', 'app.asar');
  await mkdir(join(directory, 'resources'), { recursive: true });
  await createPackage(files, archive);
  await cp(`${packed}.unpacked`, `${archive}.unpacked`, { recursive: true });
  return archive;
};

/**
 * Creates an unpacked Linux program at `directory` whose binary runs the packed server in plain Node. It puts its data
 * where `--user-data-dir` says, and ends at SIGTERM, as Electron does.
 */
export const makeStandInProgram = async (
  linux: string,
  directory: string,
  broken?: string,
): Promise<void> => {
  await mkdir(directory, { recursive: true });
  const archive = await layOutPacked(linux, directory, broken);
  const [node, entry] = [process.execPath, join(archive, 'out', 'main', 'headless.cjs')];
  const program = join(directory, 'dot-mi');
  await writeFile(
    program,
    [
      '#!/bin/sh',
      `data="\${1#--user-data-dir=}"; mkdir -p "$data"; cd "$data" || exit 1`,
      `NODE_OPTIONS='${READS_ASAR.NODE_OPTIONS}' exec '${node}' --input-type=module --eval 'await import("${entry}")'`,
      '',
    ].join('\n'),
  );
  await chmod(program, 0o755);
};
