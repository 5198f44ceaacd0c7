import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/**
 * The licences of what is bundled. Bundling hides whose code runs, and nearly every licence asks that its text goes
 * along: each build writes down the packages whose modules it took, and `npm run package` makes one file of their texts.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
/** Texts of licences that ask for their text, for packages that leave it out. */
const TEXTS_DIRECTORY = join(root, 'packaging', 'licenses');
const LISTS_DIRECTORY = join(root, 'out', 'third-party');
const NOTICES_PATH = join(root, 'out', 'THIRD-PARTY-LICENSES.txt');

const PARTS = ['main', 'preload', 'renderer', 'renderer-workers'] as const;
type Part = (typeof PARTS)[number];

/** Licences that ask for no more than their text. Any other is for a person to judge, so it stops the packing. */
const ACCEPTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
]);

/** Those that ask for nothing, not even for their text. */
const TEXT_NOT_ASKED = new Set(['0BSD', 'Unlicense']);

/** Code that a package contains in compiled form, and that its own license text does not name. */
const COMPILED_IN: Readonly<Record<string, string>> = {
  'tiny-secp256k1':
    'secp256k1.wasm contains libsecp256k1, Copyright (c) 2013 Pieter Wuille, under the MIT license above.',
};

/** In our style sheet, but written there by its plugin: no module of it is in the graph. */
const WRITTEN_BY_PLUGINS: Readonly<Partial<Record<Part, readonly string[]>>> = {
  renderer: [join(root, 'node_modules', 'tailwindcss')],
};

const NODE_MODULES = '/node_modules/';

/** The directory of the package that a module lies in; undefined for ours. */
export const packageDirectoryOf = (moduleId: string): string | undefined => {
  const path = moduleId.replaceAll('\\', '/').replace(/^\0/, '').replace(/\?.*$/, '');
  const at = path.lastIndexOf(NODE_MODULES);
  if (at < 0) return undefined;
  const start = at + NODE_MODULES.length;
  const depth = path[start] === '@' ? 2 : 1;
  return path.slice(0, start) + path.slice(start).split('/', depth).join('/');
};

/** What this build has found so far: each thread of the page is a bundle of its own, and they share a list. */
const found = new Map<Part, Set<string>>();

/** A plugin that writes down which packages are in this part of the program. */
export const listThirdParty = (part: Part): Plugin => ({
  name: 'list-third-party',
  apply: 'build',
  generateBundle(_options, bundle) {
    const ofChunks = Object.values(bundle).flatMap((output) =>
      output.type === 'chunk' ? output.moduleIds : [],
    );
    // Styles leave their chunk for a file of their own.
    const ofStyles = [...this.getModuleIds()].filter((id) => /\.css($|\?)/.test(id));
    const directories = found.get(part) ?? new Set(WRITTEN_BY_PLUGINS[part] ?? []);
    found.set(part, directories);
    for (const id of [...ofChunks, ...ofStyles]) {
      const directory = packageDirectoryOf(id);
      if (directory) directories.add(directory);
    }
    mkdirSync(LISTS_DIRECTORY, { recursive: true });
    writeFileSync(join(LISTS_DIRECTORY, `${part}.json`), JSON.stringify([...directories].sort()));
  },
});

/** A package that is bundled, and the texts that must go along with it. */
interface ThirdParty {
  name: string;
  version: string;
  license: string;
  texts: string[];
}

/** Of a choice (SPDX's `A OR B`) one will do. */
const isAccepted = (license: unknown) =>
  typeof license === 'string' &&
  license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => ACCEPTED.has(choice));

const isLicenceFile = (name: string) =>
  /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(name) && !/\.([cm]?[jt]s|json|html)$/i.test(name);

/**
 * Reads name, licence and its texts from a package's directory. Throws when the licence is not an accepted one, or asks
 * for a text that is not to be had.
 */
export const readThirdParty = (directory: string): ThirdParty => {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  if (!isAccepted(license))
    throw new Error(
      `${name} ${version} is bundled under ${JSON.stringify(license)}, a license that is not on the accepted list. Review it, then add it to that list.`,
    );
  const own = readdirSync(directory)
    .filter(isLicenceFile)
    .sort()
    .map((file) => join(directory, file));
  const paths =
    own.length > 0 || TEXT_NOT_ASKED.has(license) ? own : [join(TEXTS_DIRECTORY, `${license}.txt`)];
  const texts = paths.map((path) => readFileSync(path, 'utf8').trim());
  const compiledIn = COMPILED_IN[name];
  return { name, version, license, texts: compiledIn === undefined ? texts : [...texts, compiledIn] };
};

const noticeOf = ({ name, version, license, texts }: ThirdParty) =>
  [`${name} ${version} (${license})`, ...texts].join('\n\n');

/** Licences that ask to be named where a package only helped to build or test the program. */
const NAMED_TOOL_LICENCES = /\b(MPL-2\.0|CC-BY-4\.0)\b/;

/** A package of the lock file, as npm writes it. */
interface LockedPackage {
  version?: string;
  license?: string;
}

/**
 * Lists the packages of a lock file under MPL-2.0 or CC-BY-4.0, as `name version (license), address`. None of them is bundled: such a
 * licence isn't an accepted one, and stops the packing.
 */
export const listNamedTools = (packages: Readonly<Record<string, LockedPackage>>): string[] => {
  const lines = Object.entries(packages).flatMap(([path, { version, license }]) => {
    const name = path.split('node_modules/').at(-1);
    return name && NAMED_TOOL_LICENCES.test(license ?? '')
      ? [`${name} ${version} (${license}), https://www.npmjs.com/package/${name}`]
      : [];
  });
  return [...new Set(lines)].sort();
};

const toolsNotice = (): string => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return [
    'dot-mi Desktop was built and tested with these packages, under the Mozilla Public License 2.0 (https://mozilla.org/MPL/2.0/) and the',
    'Creative Commons Attribution 4.0 license (https://creativecommons.org/licenses/by/4.0/). It contains none of their code.',
    '',
    ...listNamedTools(packages),
  ].join('\n');
};

const RULE = `\n\n${'-'.repeat(80)}\n\n`;

/** Writes the notices of all that was bundled by the last build; returns how many packages that is. */
export const writeThirdPartyNotices = (): number => {
  const directories = PARTS.flatMap((part): string[] => {
    const list = join(LISTS_DIRECTORY, `${part}.json`);
    if (!existsSync(list)) throw new Error(`${part} is not built. Run "npm run build".`);
    return JSON.parse(readFileSync(list, 'utf8'));
  });
  const packages = [...new Set(directories)]
    .map(readThirdParty)
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
  const intro =
    'dot-mi Desktop contains code from these packages. The packages in Electron and Chromium are listed in their own files.';
  // In one step: another packager may be reading it.
  const unfinished = `${NOTICES_PATH}.${process.pid}`;
  writeFileSync(unfinished, `${[intro, ...packages.map(noticeOf), toolsNotice()].join(RULE)}\n`);
  renameSync(unfinished, NOTICES_PATH);
  return packages.length;
};
