import { chmod } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createPiFinder } from '../../../src/server/platform/installed-pi.ts';
import { ownSearchPath } from '../../../src/server/platform/open-to-others.ts';
import { plant } from '../../support/plant.ts';
import { makeTempDirectory } from '../../support/temp.ts';

beforeEach((context) => {
  if (process.platform === 'win32') context.skip('Windows has no mode bits');
});

const PI = { script: '#!/bin/sh\n' };

/** A world with several directories that have a pi, made by `plant`. */
const makeWorld = async () => {
  const world = await makeTempDirectory();
  const pi = 'own/lib/node_modules/@earendil-works/pi-coding-agent';
  await plant(world, {
    [`${pi}/package.json`]: '{"name":"@earendil-works/pi-coding-agent","version":"1.5.2"}',
    [`${pi}/dist/cli.js`]: PI,
    'own/bin/pi': { link: `../${pi.slice('own/'.length)}/dist/cli.js` },
    'open/pi': PI,
    'above/open/bin/pi': PI,
    'linked/pi': { link: '../open/pi' },
    'plain/pi': 'not executable',
    'directory/pi/pi': PI,
    'shared-file/pi': PI,
  });
  for (const path of ['open', 'above/open']) await chmod(join(world, path), 0o777);
  await chmod(join(world, 'shared-file/pi'), 0o777);
  return {
    world,
    find: (...places: string[]) =>
      createPiFinder(async () => places.map((place) => place && join(world, place)).join(delimiter))(),
  };
};

test('pi is an absolute path, found past files that aren’t programs', async () => {
  const { world, find } = await makeWorld();
  expect(await find('missing', 'plain', 'directory', 'own/bin')).toEqual({
    directory: join(world, 'own/lib/node_modules/@earendil-works/pi-coding-agent'),
    version: '1.5.2',
    command: [join(world, 'own/bin/pi')],
  });
  expect(await find('missing', 'plain', 'directory')).toBeUndefined();
});

test.each(['open', 'above/open/bin', 'linked', 'shared-file'])(
  'a pi that others can plant in %s is passed over, or never run if it is the only one',
  async (place) => {
    const { world, find } = await makeWorld();
    expect((await find(place, 'own/bin'))?.command).toEqual([join(world, 'own/bin/pi')]);
    expect(await find(place)).toEqual({});
  },
);

test('a relative place on the PATH is never searched, whatever the working directory is', async () => {
  const { world } = await makeWorld();
  const before = process.cwd();
  process.chdir(join(world, 'own/bin'));
  try {
    expect(await createPiFinder(async () => `.${delimiter}${delimiter}bin`)()).toBeUndefined();
  } finally {
    process.chdir(before);
  }
});

test('programs that dot-mi starts get a PATH without places of others, and without relative ones', async () => {
  const { world } = await makeWorld();
  const places = ['open', 'own/bin', 'above/open/bin', 'missing', 'plain'].map((place) => join(world, place));
  expect(await ownSearchPath(['.', '', 'bin', ...places].join(delimiter))).toBe(
    [join(world, 'own/bin'), join(world, 'plain')].join(delimiter),
  );
});
