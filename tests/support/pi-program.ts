import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { plant } from './plant.ts';

/** The PATH of this process without the directories that have a pi, so that no test depends on it. */
export const PATH_WITHOUT_PI = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((place) => !existsSync(join(place, 'pi')))
  .join(delimiter);

/** Installs a package of pi as npm does, with a program that does nothing. Returns a PATH that finds it. */
export const installPi = async (
  directory: string,
  version: string,
  script = '#!/bin/sh\n',
): Promise<string> => {
  const pi = 'lib/node_modules/@earendil-works/pi-coding-agent';
  if (!existsSync(join(directory, 'bin/pi')))
    await plant(directory, {
      [`${pi}/package.json`]: JSON.stringify({ name: '@earendil-works/pi-coding-agent', version }),
      [`${pi}/dist/cli.js`]: { script },
      'bin/pi': { link: `../${pi}/dist/cli.js` },
    });
  return [join(directory, 'bin'), PATH_WITHOUT_PI].join(delimiter);
};
