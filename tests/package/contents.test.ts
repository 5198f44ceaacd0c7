import { readdir, readFile, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractFile } from '@electron/asar';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { listAsar } from '../support/package/asar.ts';
import { FUSES, readFusesOfCopy } from '../support/package/fuses.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { linux } = inject('packages');
const asar = join(linux, 'resources', 'app.asar');

const HASH = '[\\w-]{8}';
/** All that may be in the archive. A new kind of file is named here, after a look at why it is needed. */
const ALLOWED = [
  /^package\.json$/,
  /^out\/main\/index\.cjs$/,
  /^out\/main\/(disk|mint|prompt|sessions)-worker\.cjs$/,
  /^out\/main\/sell-process\.cjs$/,
  new RegExp(`^out/main/[\\w-]+-${HASH}\\.cjs$`),
  /^out\/main\/secp256k1\.wasm$/,
  /^out\/preload\/index\.cjs$/,
  /^out\/renderer\/index\.html$/,
  new RegExp(`^out/renderer/assets/[\\w.-]+-${HASH}\\.(js|css|svg)$`),
  /^resources\/model_pricing\.json$/,
  /^resources\/starter-root\//,
  /^resources\/tray\/(tray(Template)?(@2x)?\.png|tray\.ico)$/,
  // The window's icon on Linux.
  /^resources\/icon\.png$/,
];

/** 13.7 MiB are in it today: 2, 3 and 2.7 for the tokenizer, in the page, a thread and the program of services, 1.2 for secp256k1. A dependency that adds much to it should be noticed. */
const MAX_ASAR_BYTES = 15 * 1024 * 1024;

const listFiles = async (directory: string) =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(directory.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();

describe('the packed program', () => {
  let files: string[] = [];
  const read = (path: string) => extractFile(asar, path).toString('utf8');
  beforeAll(() => {
    files = listAsar(asar);
  });

  it('is the built program and its resources, and nothing that is not on the list', () => {
    expect(files.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))).toEqual([]);
  });

  it('has every part: the entry that package.json names, the preload, the page, and each thread', () => {
    const { main } = JSON.parse(read('package.json'));
    expect(files).toEqual(
      expect.arrayContaining([
        main,
        'out/main/disk-worker.cjs',
        'out/main/mint-worker.cjs',
        'out/main/prompt-worker.cjs',
        'out/main/sell-process.cjs',
        'out/main/sessions-worker.cjs',
        'out/preload/index.cjs',
        'out/renderer/index.html',
      ]),
    );
  });

  it('has each thread in one CommonJS file that loads only Node’s own modules', () => {
    for (const thread of ['disk', 'mint', 'prompt', 'sessions']) {
      const text = read(`out/main/${thread}-worker.cjs`);
      const loaded = [...text.matchAll(/\b(?:require|import)\(\s*([`'"])(.+?)\1\s*\)/g)].map(
        ([, , name = '']) => name,
      );
      expect(loaded).toContain('node:worker_threads');
      expect(
        loaded.filter((name) => !isBuiltin(name)),
        thread,
      ).toEqual([]);
      expect(text).not.toMatch(/^\s*(import|export)\s/m);
    }
  });

  it('has the WebAssembly of the curve next to the thread that reads it', () => {
    const readers = files.filter(
      (path) => /^out\/main\/.*js$/.test(path) && read(path).includes('secp256k1.wasm'),
    );
    expect(readers).toEqual(['out/main/mint-worker.cjs']);
  });

  it('has the complete starter root, dot files too, in a place that it can be copied from', async () => {
    const unpacked = join(`${asar}.unpacked`, 'resources');
    const sources = join(root, 'resources');
    expect(await listFiles(unpacked)).toEqual([
      'icon.png',
      'model_pricing.json',
      ...(await listFiles(join(sources, 'starter-root'))).map((path) => `starter-root/${path}`),
      ...(await listFiles(join(sources, 'tray'))).map((path) => `tray/${path}`),
    ]);
    for (const path of await listFiles(unpacked))
      expect(await readFile(join(unpacked, path)), path).toEqual(await readFile(join(sources, path)));
  });

  it('has no development dependency, and package.json names no script', () => {
    const packed = JSON.parse(read('package.json'));
    expect(packed.name).toBe('dot-mi-desktop');
    expect(packed.type).toBe('module');
    expect(packed.scripts).toBeUndefined();
    expect(packed.devDependencies).toBeUndefined();
    expect(files.filter((path) => path.includes('node_modules'))).toEqual([]);
  });

  it('has no source map, no sources, and no path of the machine that built it', () => {
    const code = files.filter((path) => path.startsWith('out/'));
    expect(files.filter((path) => path.endsWith('.map'))).toEqual([]);
    // A route such as /api/root/trust is no path of the disk.
    const escaped = homedir().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const homeFolder = new RegExp(`(?<!\\w)${escaped}/`);
    for (const path of code) {
      const text = read(path);
      expect(text, path).not.toMatch(/[#@]\s*sourceMappingURL=/);
      expect(text.includes(root), `${path} names the folder of the build`).toBe(false);
      expect(homedir() !== '/' && homeFolder.test(text), `${path} names the home folder`).toBe(false);
    }
  });

  it('has no table of another encoding than UTF-8, which no body is read in', () => {
    const code = files.filter((path) => path.startsWith('out/main/') && path.endsWith('.cjs'));
    expect(code).not.toEqual([]);
    expect(code.filter((path) => /iso88599|shiftjis/i.test(read(path)))).toEqual([]);
  });

  it('has the updater in a separate chunk, which nothing loads until it is needed', () => {
    const ofUpdater = files.filter(
      (path) => path.startsWith('out/main/') && read(path).includes('app-update.yml'),
    );
    expect(ofUpdater).toHaveLength(1);
    /** What is loaded at the start: the entry, and each chunk that one of them requires outside of a function. */
    const loaded = new Set(['out/main/index.cjs']);
    for (const path of loaded)
      for (const [, arrow, name] of read(path).matchAll(/(=>.{0,8})?require\("\.\/([^"]+)"\)/g))
        if (arrow === undefined) loaded.add(`out/main/${name}`);
    expect(ofUpdater.filter((path) => loaded.has(path))).toEqual([]);
  });

  it('is small: its size is printed', async () => {
    const { size } = await stat(asar);
    process.stdout.write(`app.asar: ${(size / 1024 / 1024).toFixed(2)} MiB in ${files.length} files\n`);
    expect(size).toBeLessThan(MAX_ASAR_BYTES);
  });

  it('includes the licenses of everything in it', async () => {
    const notices = await readFile(join(linux, 'resources', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    // One of each part and of the page's threads, one without a text of its own, one that is in the style sheet alone.
    for (const name of [
      'express',
      'react',
      '@cashu/cashu-ts',
      '@humanwhocodes/momoa',
      'tailwindcss',
      'gpt-tokenizer',
    ])
      expect(notices).toMatch(new RegExp(`\\n${name} \\d+\\.\\d+\\.\\d+ \\(`));
    expect(notices).toContain('Apache License');
    // Not run, so not bundled.
    expect(notices).not.toMatch(/\n(vitest|electron-builder|vite|typescript) \d/);
    expect(await readFile(join(linux, 'resources', 'LICENSE.dot-mi.txt'), 'utf8')).toMatch(/^MIT License/);
    expect(await readdir(linux)).toEqual(
      expect.arrayContaining(['LICENSE.electron.txt', 'LICENSES.chromium.html']),
    );
  });

  it('can’t be run as another program, because the fuses are set', async () => {
    expect(await readFusesOfCopy(join(linux, 'dot-mi'))).toEqual(FUSES);
  });
});
