import { expect, test } from 'vitest';
import { possibleSources } from '../../src/pi/packages.ts';

test('a source without a prefix can mean a package or a repository, besides the path that pi makes of it', () => {
  const expected: readonly (readonly [source: string, meanings: readonly string[]])[] = [
    ['pi-tools', ['npm:pi-tools', './pi-tools']],
    [' @scope/pi-tools@1.2.0 ', ['npm:@scope/pi-tools@1.2.0', './@scope/pi-tools@1.2.0']],
    ['owner/pi-tools', ['git:github.com/owner/pi-tools', './owner/pi-tools']],
    ['github.com/owner/pi-tools', ['git:github.com/owner/pi-tools', './github.com/owner/pi-tools']],
    ['npm:pi-tools', []],
    ['git:github.com/owner/pi-tools', []],
    ['https://github.com/owner/pi-tools', []],
    ['./pi-tools', []],
    ['../pi-tools', []],
    ['~/pi-tools', []],
    ['/home/me/pi-tools', []],
    ['a/b/c/d', []],
    ['C:\\pi-tools', []],
    ['github:owner/name', []],
    ['', []],
  ];
  for (const [source, meanings] of expected)
    expect.soft([source, possibleSources(source)]).toEqual([source, meanings]);
});
