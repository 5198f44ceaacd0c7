import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageDirectoryOf, readThirdParty } from '../../scripts/third-party.ts';
import { makeTempDirectory } from '../support/temp.ts';

const makePackage = async (license: unknown, files: Readonly<Record<string, string>> = {}) => {
  const directory = join(await makeTempDirectory(), 'abacus');
  await mkdir(directory);
  const manifest = JSON.stringify({ name: 'abacus', version: '1.2.3', license });
  for (const [name, text] of Object.entries({ 'package.json': manifest, ...files }))
    await writeFile(join(directory, name), text);
  return directory;
};

describe('the licences of what is bundled', () => {
  it('are the texts that the package holds, notices too', async () => {
    const directory = await makePackage('MIT', {
      'LICENSE.md': 'the terms\n',
      NOTICE: 'the names\n',
      'license-checker.js': 'x',
    });
    expect(readThirdParty(directory)).toMatchObject({ license: 'MIT', texts: ['the terms', 'the names'] });
  });

  it('name what a package contains in compiled form', () => {
    const { texts } = readThirdParty('node_modules/tiny-secp256k1');
    expect(texts).toEqual([expect.stringContaining('MIT License'), expect.stringContaining('Pieter Wuille')]);
  });

  it('are the standard text where a package names a licence and leaves it out', async () => {
    const { texts } = readThirdParty(await makePackage('Apache-2.0'));
    expect(texts).toEqual([expect.stringContaining('Apache License')]);
  });

  it.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN LICENSE', '', undefined, { type: 'MIT' }])(
    'stop the packing when nobody has accepted them: %j',
    async (license) => {
      const directory = await makePackage(license, { LICENSE: 'the terms' });
      expect(() => readThirdParty(directory)).toThrow('nobody has accepted');
    },
  );

  it('are accepted when the package leaves a choice', async () => {
    const directory = await makePackage('(GPL-2.0-only OR MIT)', { LICENSE: 'the terms' });
    expect(readThirdParty(directory).texts).toEqual(['the terms']);
  });

  it('stop the packing when their text is asked for and not to be had', async () => {
    const directory = await makePackage('BSD-3-Clause');
    expect(() => readThirdParty(directory)).toThrow('BSD-3-Clause.txt');
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
