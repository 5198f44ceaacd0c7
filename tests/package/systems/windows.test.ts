import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { describe, expect, inject, it } from 'vitest';
import { hashAsarHeader } from '../../support/package/asar.ts';
import { FUSES, readFusesOfCopy } from '../../support/package/fuses.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { windows } = inject('otherPackages');
const packaging = (...path: string[]) => join(root, 'packaging', ...path);

describe('on Windows', () => {
  const readResources = async () =>
    NtExecutableResource.from(NtExecutable.from(await readFile(join(windows, 'dot-mi.exe')))).entries;

  it('it is dot-mi, by name, version and icon', async () => {
    const entries = await readResources();
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const [info] = Resource.VersionInfo.fromEntries(entries);
    const [language] = info?.getAllLanguagesForStringValues() ?? [];
    expect(language && info?.getStringValues(language)).toMatchObject({
      ProductName: 'dot-mi',
      FileDescription: 'dot-mi',
      FileVersion: version,
    });
    const [group] = Resource.IconGroupEntry.fromEntries(entries);
    const { icons } = Data.IconFile.from(await readFile(packaging('icons', 'icon.ico')));
    // 0 stands for 256.
    expect(group?.icons.map(({ width }) => width || 256)).toEqual(icons.map(({ width }) => width || 256));
  });

  it('it can’t be turned into another program, because the fuses are set', async () => {
    expect(await readFusesOfCopy(join(windows, 'dot-mi.exe'))).toEqual(FUSES);
  });

  it('its archive can’t be replaced, because the executable names its hash', async () => {
    const entry = (await readResources()).find(({ type }) => type === 'INTEGRITY');
    expect(entry?.id).toBe('ELECTRONASAR');
    expect(JSON.parse(Buffer.from(entry?.bin ?? new ArrayBuffer()).toString('utf8'))).toEqual([
      {
        file: 'resources\\app.asar',
        alg: 'SHA256',
        value: await hashAsarHeader(join(windows, 'resources', 'app.asar')),
      },
    ]);
  });
});
