import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  copiedPackages,
  listNamedTools,
  packageDirectoryOf,
  readThirdParty,
} from '../../scripts/third-party.ts';
import { makeTempDirectory } from '../support/temp.ts';

const makePackage = async (license: unknown, files: Readonly<Record<string, string>> = {}) => {
  const directory = join(await makeTempDirectory(), 'abacus');
  await mkdir(directory);
  const manifest = JSON.stringify({ name: 'abacus', version: '1.2.3', license });
  for (const [name, text] of Object.entries({ 'package.json': manifest, ...files }))
    await writeFile(join(directory, name), text);
  return directory;
};

describe('the licenses of bundled packages', () => {
  it('are the texts in the package, including notices', async () => {
    const directory = await makePackage('MIT', {
      'LICENSE.md': 'the terms\n',
      NOTICE: 'the names\n',
      'license-checker.js': 'x',
    });
    expect(readThirdParty(directory)).toMatchObject({ license: 'MIT', texts: ['the terms', 'the names'] });
  });

  it('name everything that a package contains in compiled form', () => {
    const { texts } = readThirdParty('node_modules/tiny-secp256k1');
    expect(texts).toEqual([expect.stringContaining('MIT License'), expect.stringContaining('Pieter Wuille')]);
  });

  it('are the standard text if a package names a license and leaves it out', async () => {
    const { texts } = readThirdParty(await makePackage('Apache-2.0'));
    expect(texts).toEqual([expect.stringContaining('Apache License')]);
  });

  it('include those of packages whose files are copied into src/', async () => {
    const readme = await readFile('src/pi/schemas/README.md', 'utf8');
    const [pi] = copiedPackages();
    expect(readme).toContain(`\`${pi?.name}\` ${pi?.version}, under the ${pi?.license} license`);
    expect(pi?.texts).toEqual([
      expect.stringContaining('MIT License'),
      expect.stringContaining('Mario Zechner'),
    ]);
  });

  it.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN LICENSE', '', undefined, { type: 'MIT' }])(
    'stop the packing when nobody has accepted them: %j',
    async (license) => {
      const directory = await makePackage(license, { LICENSE: 'the terms' });
      expect(() => readThirdParty(directory)).toThrow('is not on the accepted list');
    },
  );

  it('are accepted when the package leaves a choice', async () => {
    const directory = await makePackage('(GPL-2.0-only OR MIT)', { LICENSE: 'the terms' });
    expect(readThirdParty(directory).texts).toEqual(['the terms']);
  });

  it('stop the packing when their text is required and unavailable', async () => {
    const directory = await makePackage('BSD-3-Clause');
    expect(() => readThirdParty(directory)).toThrow('BSD-3-Clause.txt');
  });
});

describe('the packages that only helped to build it', () => {
  it('are named if their license requires it, once each', () => {
    expect(
      listNamedTools({
        '': { version: '0.1.0', license: 'MPL-2.0' },
        'node_modules/css': { version: '1.2.3', license: 'MPL-2.0' },
        'node_modules/a/node_modules/css': { version: '1.2.3', license: 'MPL-2.0' },
        'node_modules/@b/data': { version: '2.0.0', license: 'CC-BY-4.0' },
        'node_modules/choice': { version: '3.0.0', license: '(MPL-2.0 OR Apache-2.0)' },
        'node_modules/mit': { version: '1.0.0', license: 'MIT' },
        'node_modules/none': { version: '1.0.0' },
      }),
    ).toEqual([
      '@b/data 2.0.0 (CC-BY-4.0), https://www.npmjs.com/package/@b/data',
      'choice 3.0.0 ((MPL-2.0 OR Apache-2.0)), https://www.npmjs.com/package/choice',
      'css 1.2.3 (MPL-2.0), https://www.npmjs.com/package/css',
    ]);
  });

  it('are the ones that this program has', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
    const tools = listNamedTools(packages).join('\n');
    for (const name of ['axe-core', 'caniuse-lite', 'lightningcss']) expect(tools).toContain(`${name} `);
  });
});

describe('the package of a module', () => {
  it.each([
    ['/p/node_modules/qs/lib/index.js', '/p/node_modules/qs'],
    ['/p/node_modules/@a/b/index.js?commonjs', '/p/node_modules/@a/b'],
    ['\0/p/node_modules/a/node_modules/b/x.js', '/p/node_modules/a/node_modules/b'],
    ['C:\\p\\node_modules\\a\\x.js', 'C:/p/node_modules/a'],
    ['/p/src/main/index.ts', undefined],
  ])('of %j is %j', (id, directory) => {
    expect(packageDirectoryOf(id)).toBe(directory);
  });
});
