import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/**
 * Collects the licenses of bundled packages, because nearly every license requires that its text is included.
 * Each build lists the packages whose modules it bundled. `npm run package` writes one file with their texts.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
/** License texts for packages that leave out a text that their license requires. */
const TEXTS_DIRECTORY = join(root, 'packaging', 'licenses');
const LISTS_DIRECTORY = join(root, 'out', 'third-party');
const NOTICES_PATH = join(root, 'out', 'THIRD-PARTY-LICENSES.txt');

const PARTS = ['main', 'workers', 'preload', 'renderer', 'renderer-workers'] as const;
type Part = (typeof PARTS)[number];

/** Licenses that require no more than their text. A person must judge any other, so it stops the packing. */
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

/** Licenses that don't even require their text. */
const TEXT_NOT_ASKED = new Set(['0BSD', 'Unlicense']);

/** Compiled code in a package whose own license text doesn't name it. */
const COMPILED_IN: Readonly<Record<string, string>> = {
  'tiny-secp256k1':
    'secp256k1.wasm contains libsecp256k1, Copyright (c) 2013 Pieter Wuille, under the MIT license above.',
};

/** Packages that a plugin writes into our style sheet. Their modules aren't in the module graph. */
const WRITTEN_BY_PLUGINS: Readonly<Partial<Record<Part, readonly string[]>>> = {
  renderer: [join(root, 'node_modules', 'tailwindcss')],
};

const NODE_MODULES = '/node_modules/';

/** The directory of the package that a module belongs to, or undefined for our own code. */
export const packageDirectoryOf = (moduleId: string): string | undefined => {
  const path = moduleId.replaceAll('\\', '/').replace(/^\0/, '').replace(/\?.*$/, '');
  const at = path.lastIndexOf(NODE_MODULES);
  if (at < 0) return undefined;
  const start = at + NODE_MODULES.length;
  const depth = path[start] === '@' ? 2 : 1;
  return path.slice(0, start) + path.slice(start).split('/', depth).join('/');
};

/** The packages found by this build. Each worker is its own bundle, and those of a part share one list. */
const found = new Map<Part, Set<string>>();

/** Creates a plugin that lists the packages in this part of the program. */
export const listThirdParty = (part: Part): Plugin => ({
  name: 'list-third-party',
  apply: 'build',
  generateBundle(_options, bundle) {
    const ofChunks = Object.values(bundle).flatMap((output) =>
      output.type === 'chunk' ? output.moduleIds : [],
    );
    // Styles move from their chunk to a separate file.
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

/** A bundled package and the texts that must be included with it. */
interface ThirdParty {
  name: string;
  version: string;
  license: string;
  texts: string[];
}

/** Packages whose files or texts are copied into `src/`: src/pi/schemas, src/pi/pi-texts.json. */
export const copiedPackages = (): ThirdParty[] => [
  {
    name: '@earendil-works/pi-coding-agent',
    version: '1.6.0',
    license: 'MIT',
    texts: [
      readFileSync(join(TEXTS_DIRECTORY, 'MIT.txt'), 'utf8').trim(),
      'Its package.json names Mario Zechner as the author.',
    ],
  },
];

/** In a choice (SPDX's `A OR B`), one accepted license is enough. */
const isAccepted = (license: unknown) =>
  typeof license === 'string' &&
  license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => ACCEPTED.has(choice));

const isLicenceFile = (name: string) =>
  /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(name) && !/\.([cm]?[jt]s|json|html)$/i.test(name);

/**
 * Reads the name, version, license and license texts from a package's directory. Throws if the license isn't
 * accepted or a required text is missing.
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

/** Licenses of build and test tools that the notices must name. */
const NAMED_TOOL_LICENCES = /\b(MPL-2\.0|CC-BY-4\.0)\b/;

/** A package in the lock file, as npm writes it. */
interface LockedPackage {
  version?: string;
  license?: string;
}

/**
 * Lists a lock file's packages under MPL-2.0 or CC-BY-4.0, as `name version (license), address`. None of them
 * is bundled, because such a license isn't accepted and stops the packing.
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

/** Writes the notices of everything that the last build bundled. Returns the number of packages. */
export const writeThirdPartyNotices = (): number => {
  const directories = PARTS.flatMap((part): string[] => {
    const list = join(LISTS_DIRECTORY, `${part}.json`);
    if (!existsSync(list)) throw new Error(`${part} is not built. Run "npm run build".`);
    return JSON.parse(readFileSync(list, 'utf8'));
  });
  const packages = [...[...new Set(directories)].map(readThirdParty), ...copiedPackages()].sort(
    (a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'),
  );
  const intro =
    'dot-mi Desktop contains code from these packages. The packages in Electron and Chromium are listed in their own files.';
  // Replace the file in one step, because another packager may be reading it.
  const unfinished = `${NOTICES_PATH}.${process.pid}`;
  writeFileSync(unfinished, `${[intro, ...packages.map(noticeOf), toolsNotice()].join(RULE)}\n`);
  renameSync(unfinished, NOTICES_PATH);
  return packages.length;
};
